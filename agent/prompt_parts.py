"""Fitting a prompt into a mind: what there is room for, and what is given up first where there is not.

What stays the same from one message to the next stands first, since servers keep what they have read: who the persona is,
its notes, the days before, the turns. What changes with every message (the time, feelings, what is recalled) stands right
before that message. Drives are given up first, then goals, the strategy, what was
learned about helping, older episodes, older turns, what is recalled,
what is due to be asked; the persona last. Whole items fall, and of a text that is one item, whole sentences.
"""

import re
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from agent.minds.tokens import turn_tokens
from agent.prompts.quoting import MARK
from agent.prompts.system_prompt import PartName, heading
from managers.mind import ChatTurn
from managers.storage.errors import Lang

CountTokens = Callable[[str], int]

CEILINGS: Mapping[PartName, tuple[float, int]] = {
    "persona": (0.2, 2000),
    "world": (0.1, 1000),
    "world_before": (0.1, 1000),
    "core_memory": (0.2, 2000),
    "notepad": (0.12, 1200),
    "user": (0.05, 500),
    "lore": (0.1, 1200),
    "thread": (0.06, 900),
    "hits": (0.1, 2400),
    "knowledge": (0.05, 1000),
    "questions": (0, 200),
    "episodes": (0.1, 2000),
    "advice": (0, 200),
    "strategy": (0, 200),
    "goals": (0, 300),
    "drives": (0, 120),
}
"""The most that each part may take, in order of importance: a share of the prompt, or so many tokens if those are more."""

ORDER: tuple[PartName, ...] = get_args(PartName)

PRESENT: frozenset[PartName] = frozenset({"now", "company", "concern", "lore", "questions", "drives", "advice"})
"""What is so at this moment; it stands before the newest message, after all that servers have read before."""
QUOTED: frozenset[PartName] = frozenset({"thread", "hits", "knowledge"})
"""What others wrote or was once said, before the newest message too. Its items are made by `agent.prompts.quoting`."""
UNCUTTABLE: frozenset[PartName] = frozenset({"guidance", "now", "company", "concern"})
"""These are ours, short, and useless in halves: a help line must not lose its number."""

PREFIX_SHARE = 0.7
"""What stands may take this share of a prompt; the turns, the message and what is recalled get the rest."""
TURNS_SHARE = 0.3
"""So much of the rest is kept for the newest turns."""
LEAST_OF_A_MESSAGE = 64
"""A message is never cut below this many tokens, however small the mind."""
_FEW = 12
"""Of so few turns that fit no half is given up for an even beginning; a third is."""
_ELLIPSIS = "…"
_SENTENCE = re.compile(r"[。！？!?]+[」』）)\"”]*|\.(?=\s|$)|\n")
_HEADING_LIKE = re.compile(r"^[ \t]*={3,}[ \t]*(?=[^=\s])", re.MULTILINE)
"""What would read as one of our headings; a note may hold any others."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the prompt.

    Attributes:
        items: what it consists of.
        keep: which end matters when not all fit (`first`: best or oldest first, `last`: newest last).
        rest: says in one line, with `{count}`, that items are missing; empty where nobody needs to know.
    """

    name: PartName
    items: Sequence[str]
    keep: Literal["first", "last"] = "first"
    rest: str = ""


@dataclass(frozen=True, slots=True)
class Composed:
    """Parts as they fit, each under its heading.

    Attributes:
        system: what stands in the system prompt.
        present: what stands before the newest message, ours.
        quoted: what stands there and is not ours.
        kept: how many items of each part there was room for.
        missing: how many there was none for.
        tokens: what all of it takes.
    """

    system: str = ""
    present: tuple[str, ...] = ()
    quoted: tuple[str, ...] = ()
    kept: Mapping[PartName, int] = field(default_factory=dict, compare=False)
    missing: Mapping[PartName, int] = field(default_factory=dict, compare=False)
    tokens: int = field(default=0, compare=False)


def text_part(name: PartName, text: str, keep: Literal["first", "last"] = "first", rest: str = "") -> Part:
    """Return a part whose items are the lines of a text."""
    return Part(name, text.strip().split("\n") if text.strip() else [], keep, rest)


def compose_parts(
    parts: Sequence[Part], room: int, lang: Lang, count: CountTokens, *, whole: int | None = None, least: float = 0
) -> Composed:
    """Put parts under their headings, within `room` tokens; the more important ones first.

    Args:
        parts: what there is.
        room: tokens, for all of it.
        lang: of the headings.
        count: the mind's estimate of tokens.
        whole: the tokens of the whole prompt, of which ceilings are shares; `room` if that is all.
        least: the share of the room that is kept for each part that needs it.
    """
    importance = [*UNCUTTABLE, *CEILINGS]
    ordered = sorted((_unlike_headings(p) for p in parts if p.items), key=lambda p: importance.index(p.name))
    headings = {part.name: _heading(part.name, lang) for part in ordered}
    needs = {
        part.name: count(headings[part.name]) + 3 + sum(count(item) + 1 for item in part.items) for part in ordered
    }
    reserved = {name: 0 if name in UNCUTTABLE else min(need, int(room * least)) for name, need in needs.items()}
    filled: dict[PartName, _Filled] = {}
    left = room
    for part in ordered:
        name, heading = part.name, count(headings[part.name]) + 3
        del reserved[name]
        granted = left - sum(reserved.values())
        ceiling = needs[name] if name in UNCUTTABLE else _ceiling(name, room if whole is None else whole)
        fits = needs[name] if name in UNCUTTABLE else min(granted, ceiling)
        filled[name] = _fill(part, fits - heading, count)
        if filled[name].items:
            left -= heading + sum(count(item) + 1 for item in filled[name].items)
        if not least and granted < min(needs[name], ceiling):
            break  # what matters less is not there in its place
    made = {
        name: "\n".join([headings[name], *filled[name].items])
        for name in ORDER
        if name in filled and filled[name].items
    }
    return Composed(
        "\n\n".join(text for name, text in made.items() if name not in QUOTED | PRESENT),
        tuple(text for name, text in made.items() if name in PRESENT),
        tuple(text for name, text in made.items() if name in QUOTED),
        {name: one.kept for name, one in filled.items()},
        {part.name: len(part.items) - one.kept for part in ordered if (one := filled.get(part.name)) and one.is_cut},
        room - left,
    )


@dataclass(frozen=True, slots=True)
class _Filled:
    """What there is room for of a part: the lines, how many items of it, and whether any is missing or cut."""

    items: list[str]
    kept: int
    is_cut: bool = False


def _ceiling(name: PartName, whole: int) -> int:
    share, floor = CEILINGS[name]
    return max(floor, int(share * whole))


def _heading(name: PartName, lang: Lang) -> str:
    words = heading(lang, name)
    return f"[{words}]" if name in QUOTED | PRESENT else f"=== {words} ==="


def _unlike_headings(part: Part) -> Part:
    """Return a part in which no line can be taken for a heading of ours."""
    return replace(part, items=[_HEADING_LIKE.sub("", item) if "===" in item else item for item in part.items])


def _fill(part: Part, room: int, count: CountTokens) -> _Filled:
    """Return the items that fit; where some do not, a last line of ours may say so."""
    if sum(count(item) + 1 for item in part.items) <= room:
        return _Filled(list(part.items), len(part.items))
    room -= count(part.rest) + 4 if part.rest else 0
    taken: list[str] = []
    for item in part.items if part.keep == "first" else reversed(part.items):
        size = count(item) + 1
        if size > room:
            if not taken and (cut := _cut_item(part, item, room, count)):
                taken.append(cut)
            break
        taken.append(item)
        room -= size
    ordered = taken if part.keep == "first" else taken[::-1]
    said = [part.rest.format(count=len(part.items) - len(taken))] if part.rest and room >= 0 else []
    return _Filled([*ordered, *said], len(taken), is_cut=True)


def _cut_item(part: Part, item: str, room: int, count: CountTokens) -> str:
    if part.name in QUOTED:
        return cut_passage(item, room, count)
    return cut_to(item, room, count) if part.keep == "first" else ""


def cut_to(text: str, room: int, count: CountTokens) -> str:
    """Cut a text to at most `room` tokens, behind a sentence if there is one; empty if not even a little fits."""
    if count(text) <= room:
        return text
    low, high = 0, len(text)
    while low < high:  # the longest piece that fits
        middle = (low + high + 1) // 2
        if count(text[:middle] + _ELLIPSIS) <= room:
            low = middle
        else:
            high = middle - 1
    if low <= len(_ELLIPSIS):
        return ""
    ends = [match.end() for match in _SENTENCE.finditer(text, 0, low)]
    return text[: ends[-1] if ends else low].rstrip("\n") + _ELLIPSIS


def cut_passage(passage: str, room: int, count: CountTokens) -> str:
    """Cut a quotation to at most `room` tokens; each of its lines keeps its mark, and a label alone says nothing."""
    label, *lines = cut_to(passage, room, count).split("\n")
    whole = [line for line in lines if line.startswith(MARK)]
    return "\n".join([label, *whole]) if whole else ""


def fit_message(turn: ChatTurn, room: int, count: CountTokens) -> ChatTurn:
    """Return the newest turn, its words cut if they must be."""
    over = turn_tokens(turn, count) - room
    if over <= 0:
        return turn
    return replace(turn, text=cut_to(turn.text, max(count(turn.text) - over, LEAST_OF_A_MESSAGE), count))


def fit_turns(turns: Sequence[ChatTurn], room: int, count: CountTokens, *, slides: bool = False) -> list[ChatTurn]:
    """Keep the newest turns that fit; with `slides` older ones were left out before.

    Where older ones fall, the talk begins at a place that stays the same for a few messages, so that a server need not
    read all of it anew each time: of the user's turns in the older half, the one whose hash is lowest.
    """
    kept: list[ChatTurn] = []
    for turn in reversed(turns):
        room -= turn_tokens(turn, count)
        if room < 0:
            break
        kept.append(turn)
    kept.reverse()
    if len(kept) == len(turns) and not slides:
        return kept
    return kept[_settled(kept) :]


def _settled(turns: Sequence[ChatTurn]) -> int:
    """Return where the talk begins: at a user's turn of the older half, and mostly at the same as a message before."""
    part = 2 if len(turns) > _FEW else 3
    older = [at for at, turn in enumerate(turns[: (len(turns) + part - 1) // part]) if turn.role == "user"]
    return min(older, key=lambda at: zlib.crc32(f"{turns[at].time}{turns[at].text}".encode()), default=0)


def tokens_of(turns: Iterable[ChatTurn], count: CountTokens) -> int:
    """Return what turns take."""
    return sum(turn_tokens(turn, count) for turn in turns)
