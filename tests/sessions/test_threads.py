"""Topics are told apart by what is said: few are missed, none is broken without need, and one comes back to the right one."""

import json
import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from agent.group.addressed import domain_of, read_address
from managers.hygiene.similarity import vectors
from managers.personas.samples import FOR_GROUPS
from managers.sessions.threads import Said, Topic, place
from managers.storage.paths import CHECKOUT

Line = tuple[timedelta, str, str]
"""How long after the last one a message is said, its topic, and its words."""

PACE: Final = timedelta(seconds=40)
NAMES: Final = {"movie": ["Lumina", "ルミナ"], "history": ["Claris", "クラリス"], "gossip": ["Nox", "ノクス"]}


def talks() -> Iterator[tuple[str, list[Line]]]:
    """Yield the name and the lines of each talk."""
    for one in tomllib.loads(Path(__file__).with_name("topics.toml").read_text("utf-8"))["talks"]:
        lines = [re.fullmatch(r"(?:\+(\d+)h )?(.+?) \| (.+)", line) for line in one["said"]]
        yield one["name"], [(timedelta(hours=int(m[1])) if m[1] else PACE, m[2], m[3]) for m in lines if m is not None]


def likeness(text: str, others: Sequence[str]) -> list[float]:
    """Compare by spelling."""
    return [float(one) for one in vectors([*others]) @ vectors([text])[0]]


def judged(lines: Sequence[Line], keywords: dict[str, list[str]], found: Counter[str]) -> list[str]:
    """Count how the topics of a talk are told apart, each message placed after those before it; return the slips."""
    slips: list[str] = []
    topics: dict[int, Topic] = {}
    names: dict[int, str] = {}
    now, current, before = datetime(2026, 5, 1, 9), 0, ""
    for pause, name, text in lines:
        now += pause
        asked = read_address(text, NAMES).targets
        said = Said(text, now, domain_of(text, keywords), asked[0] if len(asked) == 1 else "")
        move = place(said, topics.get(current), [one for at, one in topics.items() if at != current], likeness)
        changes, moved, went_back = name != before, move.kind != "goes_on", move.kind == "returns"
        is_back = changes and name in names.values()
        is_right = went_back and is_back and names[move.thread_id] == name
        found["right" if changes and moved else "missed" if changes else "wrong" if moved else "same"] += 1
        found["returned"] += is_right
        found["lost"] += is_back and not is_right
        found["astray"] += went_back and not is_right
        if changes != moved or (is_back or went_back) != is_right:
            slips.append(f"{move.kind} {names.get(move.thread_id)}, not {'back to ' if is_back else ''}{name}: {text}")
        if current in topics and move.thread_id != current:
            left = topics[current]
            topics[current] = Topic(current, left.texts, left.last, left.domain, move.leaves_open)
        old = topics.get(move.thread_id)
        domain = (old.domain if old else "") or next(iter(said.domains), "")
        topics[move.thread_id] = Topic(move.thread_id, (*(old.texts if old else ()), text), now, domain)
        names.setdefault(move.thread_id, name)
        current, before = move.thread_id, name
    return slips


def test_topics_are_told_apart_and_come_back_to() -> None:
    personas = [json.loads((CHECKOUT / "characters" / n / "persona.json").read_text("utf-8")) for n in FOR_GROUPS]
    groups = [one["settings"]["group"] for one in personas]
    keywords = {group["domain"]: group["domain_keywords"] for group in groups}
    of_lang: defaultdict[str, Counter[str]] = defaultdict(Counter)
    slips = [slip for name, lines in talks() for slip in judged(lines, keywords, of_lang[name[:2]])]
    assert of_lang.keys() == {"en", "ja"}
    for found in of_lang.values():
        told = "\n".join(slips)
        assert found["right"] / (found["right"] + found["wrong"]) > 0.95, told
        assert found["right"] / (found["right"] + found["missed"]) > 0.85, told
        assert found["returned"] / (found["returned"] + found["lost"]) > 0.8, told
        assert found["returned"] / (found["returned"] + found["astray"]) > 0.85, told
