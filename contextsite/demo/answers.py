"""What the survey says in words: at its end, when stopped, and when asked about its board."""

import re
from collections.abc import Mapping

from agents.context.json_values import JSON
from contextsite.demo.cards import folder_of
from contextsite.demo.markdown import amount, code
from contextsite.demo.progress import MARKERS, Progress
from contextsite.demo.seen import Seen
from contextsite.demo.wishes import Wishes

_QUESTION = re.compile(
    r"\?\s*\Z|\A\s*(?:how|what|which|where|why|who|when|is|are|does|do|did)\b", re.IGNORECASE
)


def is_question(text: str) -> bool:
    """Return whether a message asks something rather than asks for a survey."""
    return bool(_QUESTION.search(text))


def final_answer(progress: Progress, wishes: Wishes) -> str:
    """Return the totals in prose, and how to check them."""
    if not progress.is_counted:
        return (
            f"I could not finish the survey: a tool kept failing. {_totals(progress)} "
            "Look at the failed calls above, then ask me again."
        )
    parts = [
        f"I surveyed {code(folder_of(progress))} in {amount(progress.steps, 'step')}. {_totals(progress)}"
    ]
    if progress.largest:
        largest = progress.largest[0]
        parts.append(f"The largest file is {code(largest['path'])} with {largest['bytes']:,} bytes.")
    parts.append(_markers(progress))
    if not wishes.is_detailed:
        parts.append("The mode was quick, so I looked into no file.")
    if progress.listing:
        parts.append(_unlisted(progress.listing["unreadable"]))
        parts.append(f"To check, give what {code(progress.listing['same_files'])} lists to `wc`.")
    parts.append("Ask me a question about it, or say *again*.")
    return " ".join(part for part in parts if part)


def stopped_answer(progress: Progress) -> str:
    """Return that and where the survey stopped."""
    return (
        f"I stopped after step {progress.steps} because the abort flag on the whiteboard is set. "
        f"{_totals(progress)} Set the flag to false and say *again* to start anew."
    )


def answer_from_board(seen: Seen) -> str:
    """Return what the whiteboard says to a question, as people may have edited it."""
    counters = seen.value("counters")
    sentences = [f"The whiteboard says: {_listed(counters)}." if isinstance(counters, dict) else ""]
    rows = seen.value("chart_data")
    words = set(re.findall(r"[\w.]+", seen.wish.lower().rstrip("?.! ")))
    for row in rows if isinstance(rows, list) else []:
        if isinstance(row, dict) and {str(row.get("type")), str(row.get("type")).removeprefix(".")} & words:
            rest = {key: value for key, value in row.items() if key != "type"}
            sentences.append(f"Of type {code(str(row['type']))} it has {_listed(rest)}.")
    sentences.append("Say *again* and I survey the folder anew.")
    return " ".join(sentence for sentence in sentences if sentence)


def _totals(progress: Progress) -> str:
    sums = progress.sums
    scope = "It has" if progress.is_counted else f"Of {amount(progress.total_files, 'file')} I counted"
    files, lines, words, size = (
        f"**{amount(sums[f'{noun}s'], noun)}**" for noun in ("file", "line", "word", "byte")
    )
    text = f"{scope} {files} with {lines}, {words} and {size}."
    if sums["unreadable"]:
        text += f" Not readable, and in no other sum: {amount(sums['unreadable'], 'file')}."
    return text


def _unlisted(folders: int) -> str:
    return (
        f"Not readable, so that their files are missing here: {amount(folders, 'folder')}." if folders else ""
    )


def _markers(progress: Progress) -> str:
    hits = {
        marker: sum(answer["lines"] for answer in progress.searches[marker])
        for marker in MARKERS
        if marker in progress.searches
    }
    return f"Lines with markers: {', '.join(f'{code(m)} {n:,}' for m, n in hits.items())}." if hits else ""


def _listed(values: Mapping[str, JSON]) -> str:
    return ", ".join(
        f"{value:,} {name}" if isinstance(value, int) else f"{name} {value}" for name, value in values.items()
    )
