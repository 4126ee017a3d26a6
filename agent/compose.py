"""Fitting a prompt into a mind: parts with a token budget each, and the turns that still fit.

The size has a ceiling that years do not move: every part is capped, whatever it is cut from.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from agent.minds.language_model.fit import turn_tokens
from agent.prompts.reply import HEADINGS, PartName
from managers.mind import ChatTurn
from managers.storage.errors import Lang

CountTokens = Callable[[str], int]

CEILINGS: dict[PartName, int] = {
    "guidance": 400,
    "persona": 2000,
    "concern": 800,
    "core_memory": 2000,
    "notepad": 1200,
    "user": 400,
    "hits": 2400,
    "knowledge": 1000,
    "episodes": 2000,
    "strategy": 200,
    "goals": 300,
    "drives": 300,
    "questions": 200,
}
"""The most tokens that each part may take; in order of importance when not all of them fit."""

ORDER: tuple[PartName, ...] = tuple(HEADINGS)
"""How the parts stand in the prompt: who it is first, what it recalls for this message last."""

AT_LEAST = 64
"""A part that says all it has in so few tokens is not cut to nothing by longer ones: half a resolution is none."""

UNCUTTABLE: frozenset[PartName] = frozenset({"guidance", "concern"})
"""These are ours, short, and useless in halves: a help line must not lose its number."""
ANSWER_SHARE = 0.25
ANSWER_CEILING = 2048
"""Room kept for the answer: a quarter of the context, at most this many tokens."""
SYSTEM_SHARE = 0.6
"""The system prompt may take this share of what the answer leaves; the turns get the rest."""
LEAST_OF_A_MESSAGE = 64
"""A message is never cut below this many tokens, however small the mind."""
_ELLIPSIS = "…"


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the system prompt.

    Attributes:
        items: what it consists of, cut between items first and within one last.
        keep: which end matters when not all fit (`first`: best or oldest first, `last`: newest last).
    """

    name: PartName
    items: Sequence[str]
    keep: Literal["first", "last"] = "first"


def text_part(name: PartName, text: str, keep: Literal["first", "last"] = "first") -> Part:
    """Return a part that is cut between the lines of a text."""
    return Part(name, text.strip().split("\n") if text.strip() else [], keep)


def answer_room(context_tokens: int) -> int:
    """Return how many tokens are kept for the answer."""
    return min(ANSWER_CEILING, int(context_tokens * ANSWER_SHARE))


def compose_system(parts: Sequence[Part], room: int, lang: Lang, count: CountTokens) -> str:
    """Join the parts under their headings within `room` tokens.

    Every part gets what it needs up to its ceiling; where the room is too small for that, each is
    first given a little, then its fair share of the room, then what others left over, in order of importance.
    """
    importance = list(CEILINGS)
    ordered = sorted((p for p in parts if p.items), key=lambda p: importance.index(p.name))
    headings = {p.name: f"## {HEADINGS[p.name][lang]}" for p in ordered}
    overhead = sum(count(heading) + 3 for heading in headings.values())
    needs = {p.name: _need(p, count) for p in ordered}
    granted = _share(needs, max(0, room - overhead))
    sections = []
    for part in sorted(ordered, key=lambda p: ORDER.index(p.name)):
        body = "\n".join(_fill(part, granted[part.name], count))
        if body:
            sections.append(f"{headings[part.name]}\n{body}")
    return "\n\n".join(sections)


def _need(part: Part, count: CountTokens) -> int:
    need = sum(count(item) + 1 for item in part.items)
    return need if part.name in UNCUTTABLE else min(need, CEILINGS[part.name])


def _share(needs: dict[PartName, int], room: int) -> dict[PartName, int]:
    granted = {name: need for name, need in needs.items() if name in UNCUTTABLE}
    left = max(0, room - sum(granted.values()))
    elastic = {name: need for name, need in needs.items() if name not in UNCUTTABLE}
    total = sum(elastic.values())
    if total <= left:
        return granted | elastic
    least = {name: min(need, AT_LEAST) for name, need in elastic.items()}
    if 2 * sum(least.values()) > left:
        least = dict.fromkeys(elastic, 0)
    rest = left - sum(least.values())
    ceilings = sum(CEILINGS[name] for name in elastic)
    shares = {name: min(need, least[name] + int(CEILINGS[name] * rest / ceilings)) for name, need in elastic.items()}
    spare = left - sum(shares.values())
    for name, need in elastic.items():
        extra = min(need - shares[name], spare)
        shares[name] += extra
        spare -= extra
    return granted | shares


def _fill(part: Part, room: int, count: CountTokens) -> list[str]:
    taken: list[str] = []
    candidates = part.items if part.keep == "first" else list(reversed(part.items))
    for item in candidates:
        size = count(item) + 1
        if size <= room:
            taken.append(item)
            room -= size
            continue
        if cut := cut_to(item, room, count, part.keep):
            taken.append(cut)
        break
    return taken if part.keep == "first" else list(reversed(taken))


def cut_to(text: str, room: int, count: CountTokens, keep: Literal["first", "last"] = "first") -> str:
    """Cut a text to at most `room` tokens, marked with an ellipsis; empty if not even a little fits."""
    if count(text) <= room:
        return text
    low, high = 0, len(text)
    while low < high:  # the longest piece that fits
        middle = (low + high + 1) // 2
        if count(_piece(text, middle, keep)) <= room:
            low = middle
        else:
            high = middle - 1
    return _piece(text, low, keep) if low > len(_ELLIPSIS) else ""


def _piece(text: str, length: int, keep: Literal["first", "last"]) -> str:
    return text[:length] + _ELLIPSIS if keep == "first" else _ELLIPSIS + text[len(text) - length :]


def fit_turns(turns: Sequence[ChatTurn], room: int, count: CountTokens) -> list[ChatTurn]:
    """Keep the newest turns that fit; the last one always stays, cut if it must be."""
    *earlier, last = turns
    room -= turn_tokens(last, count)
    if room < 0:
        return [replace(last, text=cut_to(last.text, max(room + count(last.text), LEAST_OF_A_MESSAGE), count))]
    kept = [last]
    for turn in reversed(earlier):
        room -= turn_tokens(turn, count)
        if room < 0:
            break
        kept.append(turn)
    return list(reversed(kept))
