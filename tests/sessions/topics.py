"""Talks with the topic of each message, and how well the topics are told apart."""

import json
import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from agent.group.addressed import domain_of, read_address
from managers.hygiene.similarity import vectors
from managers.personas.samples import FOR_GROUPS
from managers.sessions.threads import Move, Said, Topic, place
from managers.storage.paths import CHECKOUT

_PACE: Final = timedelta(seconds=40)


@dataclass
class Found:
    """What came of a talk.

    Attributes:
        right, wrong, missed: changes of topic.
        returned, lost, astray: returns to the right topic, missed ones, and those to another or of none.
        slips: what was read wrongly.
    """

    right: int = 0
    wrong: int = 0
    missed: int = 0
    returned: int = 0
    lost: int = 0
    astray: int = 0
    slips: list[str] = field(default_factory=list)

    @property
    def precision(self) -> float:
        return self.right / max(self.right + self.wrong, 1)

    @property
    def recall(self) -> float:
        return self.right / max(self.right + self.missed, 1)


def talks() -> Iterator[tuple[str, list[tuple[timedelta, str, str]]]]:
    """Yield each talk: its name, and how long after the last one each message is said, its topic and its words."""
    for one in tomllib.loads(Path(__file__).with_name("topics.toml").read_text("utf-8"))["talks"]:
        lines = [re.fullmatch(r"(?:\+(\d+)h )?(.+?) \| (.+)", line) for line in one["said"]]
        yield (
            one["name"],
            [(timedelta(hours=int(m[1])) if m[1] else _PACE, m[2], m[3]) for m in lines if m is not None],
        )


def keywords() -> dict[str, list[str]]:
    """Return the words of each sample's domain."""
    documents = {n: json.loads((CHECKOUT / "characters" / n / "persona.json").read_text("utf-8")) for n in FOR_GROUPS}
    return {
        one["settings"]["group"]["domain"]: one["settings"]["group"]["domain_keywords"] for one in documents.values()
    }


def _asked(text: str) -> str:
    names = {"movie": ["Lumina", "ルミナ"], "history": ["Claris", "クラリス"], "gossip": ["Nox", "ノクス"]}
    found = read_address(text, names)
    return found.targets[0] if len(found.targets) == 1 else ""


def likeness(text: str, others: Sequence[str]) -> list[float]:
    """Compare by spelling."""
    return [float(one) for one in vectors([*others]) @ vectors([text])[0]]


def measured(lines: Sequence[tuple[timedelta, str, str]]) -> Found:
    """Return how the topics of a talk are told apart, each message placed after those before it as they were read."""
    found, words = Found(), keywords()
    topics: dict[int, Topic] = {}
    names: dict[int, str] = {}
    now, current, before = datetime(2026, 5, 1, 9), 0, ""
    for pause, name, text in lines:
        now += pause
        said = Said(text, now, domain_of(text, words), _asked(text))
        move = place(said, topics.get(current), [one for at, one in topics.items() if at != current], likeness)
        _judge(found, move, name, before, names, text)
        if current in topics and move.thread_id != current:
            left = topics[current]
            topics[current] = Topic(current, left.texts, left.last, left.domain, move.leaves_open)
        old = topics.get(move.thread_id)
        domain = (old.domain if old else "") or next(iter(said.domains), "")
        topics[move.thread_id] = Topic(move.thread_id, (*(old.texts if old else ()), text), now, domain)
        names.setdefault(move.thread_id, name)
        current, before = move.thread_id, name
    return found


def _judge(found: Found, move: Move, name: str, before: str, names: dict[int, str], text: str) -> None:
    changes, is_back = name != before, name != before and name in names.values()
    moved = move.kind != "goes_on"
    found.right += changes and moved
    found.wrong += moved and not changes
    found.missed += changes and not moved
    went_back = move.kind == "returns"
    is_right = went_back and is_back and names[move.thread_id] == name
    found.returned += is_right
    found.lost += is_back and not is_right
    found.astray += went_back and not is_right
    if changes != moved or (is_back or went_back) != is_right:
        found.slips.append(
            f"{move.kind} {names.get(move.thread_id, '-')}, not {'back to ' if is_back else ''}{name}: {text}"
        )
