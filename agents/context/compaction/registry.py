"""The strategies of this process by name."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from agents.context.compaction.strategy import (
    AlgorithmicStrategy,
    CompactionStrategy,
    DefaultStrategy,
    check_strategy,
)
from agents.context.errors import AlreadyRegistered, BuiltInStrategy, InvalidKeyword, UnknownStrategy
from agents.context.features import snake_case

Class = type[CompactionStrategy]


@dataclass(frozen=True)
class StrategyInfo:
    """What is known of a registered strategy."""

    name: str
    display_name: str
    description: str
    threshold: float
    required_plugins: tuple[str, ...]
    is_built_in: bool


class StrategyRegistry:
    """Strategy classes by name; a class is made without arguments once, to read its name and texts."""

    _classes: ClassVar[dict[str, Class]] = {}
    _infos: ClassVar[dict[str, StrategyInfo]] = {}

    @classmethod
    def register(cls, strategy: Class, *, is_built_in: bool = False) -> None:
        """Make a strategy available under its name.

        Raises:
            AlreadyRegistered: when the name is taken.
            InvalidOption: for a class that makes no strategy.
        """
        made = strategy()
        check_strategy(made)
        if made.name in cls._classes:
            raise AlreadyRegistered("Strategy", made.name)
        cls._classes[made.name] = strategy
        cls._infos[made.name] = StrategyInfo(
            name=made.name,
            display_name=made.display_name,
            description=made.description,
            threshold=made.threshold,
            required_plugins=tuple(made.required_plugins),
            is_built_in=is_built_in,
        )

    @classmethod
    def get(cls, name: str) -> Class:
        """Return the class.

        Raises:
            UnknownStrategy: naming those there are.
        """
        if name not in cls._classes:
            raise UnknownStrategy(name, tuple(cls._classes))
        return cls._classes[name]

    @classmethod
    def get_if_exists(cls, name: str) -> Class | None:
        """Return the class, None when there is none."""
        return cls._classes.get(name)

    @classmethod
    def has(cls, name: str) -> bool:
        """Tell whether there is such a strategy."""
        return name in cls._classes

    @classmethod
    def list(cls) -> tuple[str, ...]:
        """Return the names in order of registration."""
        return tuple(cls._classes)

    @classmethod
    def create(
        cls, name: str, config: Mapping[str, Any] | None = None, /, **options: Any
    ) -> CompactionStrategy:
        """Return a strategy made with the options, given as keywords or as a mapping in either spelling.

        Raises:
            UnknownStrategy: naming those there are.
            InvalidKeyword, InvalidOption: for options that it does not have or that are out of range.
        """
        strategy = cls.get(name)
        given = {snake_case(key): value for key, value in (config or {}).items()} | options
        try:
            inspect.signature(strategy).bind(**given)
        except TypeError as fault:
            raise InvalidKeyword(f'Strategy "{name}": {fault}.') from None
        return strategy(**given)

    @classmethod
    def get_info(cls, name: str) -> StrategyInfo | None:
        """Return what is known of a strategy, None when there is none."""
        return cls._infos.get(name)

    @classmethod
    def remove(cls, name: str) -> bool:
        """Return whether there was such a strategy to remove.

        Raises:
            BuiltInStrategy: for one of ours.
        """
        if name not in cls._classes:
            return False
        if cls._infos[name].is_built_in:
            raise BuiltInStrategy(name)
        del cls._classes[name], cls._infos[name]
        return True


StrategyRegistry.register(AlgorithmicStrategy, is_built_in=True)
StrategyRegistry.register(DefaultStrategy, is_built_in=True)
