"""The calculator: arithmetic to fifty digits, bounded in time and size, without running any code."""

import ast
import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import (
    Context,
    Decimal,
    DecimalException,
    DivisionByZero,
    InvalidOperation,
    Overflow,
    localcontext,
)
from typing import Annotated

from pydantic import Field

from agents.context.tools import tool

DIGITS = 50
MOST_CHARACTERS = 1000
# Results beyond ten to this power are refused.
LARGEST_EXPONENT = 9999
LARGEST_FACTORIAL = 1000

_BINARY: dict[type[ast.operator], Callable[[Decimal, Decimal], Decimal]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: lambda left, right: (left / right).to_integral_value("ROUND_FLOOR"),
    ast.Mod: lambda left, right: left - right * (left / right).to_integral_value("ROUND_FLOOR"),
    ast.Pow: operator.pow,
}
_UNARY: dict[type[ast.unaryop], Callable[[Decimal], Decimal]] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
}
_CONSTANTS = {
    "pi": Decimal("3.14159265358979323846264338327950288419716939937511"),
    "e": Decimal("2.71828182845904523536028747135266249775724709369996"),
}


def _by_float(function: Callable[[float], float]) -> Callable[[Decimal], Decimal]:
    return lambda number: Decimal(repr(function(_finite(float(number)))))


def _finite(number: float) -> float:
    if math.isinf(number):
        raise OverflowError
    return number


def _factorial(number: Decimal) -> Decimal:
    if number != number.to_integral_value() or not 0 <= number <= LARGEST_FACTORIAL:
        raise ValueError(f"factorial takes a whole number from 0 to {LARGEST_FACTORIAL}.")
    return Decimal(math.factorial(int(number)))


def _round(number: Decimal, places: Decimal = Decimal(0)) -> Decimal:
    if places != places.to_integral_value() or abs(places) > DIGITS:
        raise ValueError(f"round takes a whole number of places up to {DIGITS}.")
    return number.quantize(Decimal(1).scaleb(-int(places)), "ROUND_HALF_UP")


_FUNCTIONS: dict[str, tuple[range, Callable[..., Decimal]]] = {
    "abs": (range(1, 2), abs),
    "sqrt": (range(1, 2), Decimal.sqrt),
    "exp": (range(1, 2), Decimal.exp),
    "ln": (range(1, 2), Decimal.ln),
    "log10": (range(1, 2), Decimal.log10),
    "floor": (range(1, 2), lambda number: number.to_integral_value("ROUND_FLOOR")),
    "ceil": (range(1, 2), lambda number: number.to_integral_value("ROUND_CEILING")),
    "round": (range(1, 3), _round),
    "factorial": (range(1, 2), _factorial),
    "min": (range(1, 101), min),
    "max": (range(1, 101), max),
    "sum": (range(1, 101), lambda *numbers: sum(numbers, Decimal(0))),
    "sin": (range(1, 2), _by_float(math.sin)),
    "cos": (range(1, 2), _by_float(math.cos)),
    "tan": (range(1, 2), _by_float(math.tan)),
}
KNOWN = f"+ - * / // % ** ( ), {', '.join(_FUNCTIONS)}, {', '.join(_CONSTANTS)}"


def evaluate(expression: str) -> str:
    """Return the value of an arithmetic expression in plain digits.

    Raises:
        ValueError: it is no such expression, too long or deep, or has no value; the text says what to write.
    """
    if len(expression) > MOST_CHARACTERS:
        raise ValueError(f"The expression is longer than {MOST_CHARACTERS:,} characters; split it.")
    try:
        tree = ast.parse(expression.strip(), mode="eval").body
        with localcontext(_context()):
            return _plain(+_value(tree))
    except SyntaxError:
        raise ValueError(f"This is no expression. Write one with: {KNOWN}.") from None
    except (RecursionError, MemoryError):
        raise ValueError("The expression is nested too deeply; split it.") from None
    except DivisionByZero:
        raise ValueError("It divides by zero.") from None
    except (Overflow, OverflowError):
        raise ValueError(f"The result is larger than ten to the power of {LARGEST_EXPONENT}.") from None
    except DecimalException:
        raise ValueError("It has no value, such as the root of a negative number or zero by zero.") from None


def calculate(
    expression: Annotated[str, Field(description="For example (12.5 + 7) * 3 ** 2 or round(sqrt(2), 4).")],
) -> str:
    """Return the exact value of an arithmetic expression, to 50 digits; decimals are no binary fractions.

    It knows + - * / // % ** and the functions abs, sqrt, exp, ln, log10, floor, ceil, round(x, places),
    factorial, min, max, sum, sin, cos and tan (in radians), and pi and e.
    """
    return evaluate(expression)


calculator = replace(
    tool(name="calculator", parallel=True)(calculate),
    call_description=lambda arguments: f"calculate {str(arguments.get('expression', ''))[:100]}",
)


def _context() -> Context:
    return Context(
        prec=DIGITS,
        Emax=LARGEST_EXPONENT,
        Emin=-LARGEST_EXPONENT,
        traps=[DivisionByZero, InvalidOperation, Overflow],
    )


def _value(node: ast.expr) -> Decimal:
    match node:
        case ast.Constant(value=float() as number):
            return Decimal(str(_finite(number)))
        case ast.Constant(value=int() as number) if not isinstance(number, bool):
            return Decimal(number)
        case ast.Name(id=name) if name in _CONSTANTS:
            return _CONSTANTS[name]
        case ast.UnaryOp(op=sign, operand=operand) if type(sign) in _UNARY:
            return _UNARY[type(sign)](_value(operand))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return _BINARY[type(op)](_value(left), _value(right))
        case ast.BinOp(op=ast.BitXor()):
            raise ValueError("For a power write **, not ^.")
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
            return _call(name, arguments)
    raise ValueError(f"It holds something that is not arithmetic. Use only: {KNOWN}.")


def _call(name: str, arguments: Sequence[ast.expr]) -> Decimal:
    if name not in _FUNCTIONS:
        raise ValueError(f"There is no function {name[:40]!r}. Use only: {KNOWN}.")
    counts, function = _FUNCTIONS[name]
    if len(arguments) not in counts:
        raise ValueError(f"{name} takes {counts.start} to {counts.stop - 1} numbers, not {len(arguments)}.")
    return function(*map(_value, arguments))


def _plain(number: Decimal) -> str:
    if number and not -DIGITS < number.adjusted() < DIGITS:
        return str(number.normalize())
    text = format(number, "f")
    return (text.rstrip("0").rstrip(".") if "." in text else text) if number else "0"
