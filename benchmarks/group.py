"""A scripted conversation of 300 turns with the three samples, on built-in minds: shares, limits, and what the absent know."""

import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import quantiles

from agent.events import Begins, Replied
from agent.group.addressed import read_address
from agent.group.conversation import GroupConversation
from agent.services import Services, open_services
from agent.tools import all_tools
from agent.tools.catalogue import ToolAnswer
from agent.tools.context import ToolContext
from benchmarks.words import sentence
from managers.mind import Cancel, ToolCall
from managers.personas.samples import FOR_GROUPS
from managers.storage.paths import Home
from tests.fakes import HandClock

TURNS = 300
_SECRET_EACH = 12
"""Every so many messages one of them is away, and something is said that it must never know; and one is told something alone."""
_ASKED = ("the code of the drawer", "drawer", "引き出しの番号", "my locker", "locker code", "user")
_SUBJECTS = (
    "I saw a film about a lighthouse.", "昨日の映画、字幕が小さくて困った。", "Who built that old castle?", "江戸の歴史の本を読んだよ。",
    "Any gossip from the roofs?", "最近の流行りってなに？", "It rained all day.", "今日は散歩をした。", "My tea went cold.", "庭の花が咲いた。",
)  # fmt: skip


@dataclass
class Course:
    """What came of a conversation.

    Attributes:
        spoken: how often each one spoke.
        rounds: how many messages the user said.
        automatic: the most answers of a round beside the first, or those of the addressed.
        in_a_row: the most answers of one persona in a row, the last of them to a message that addressed somebody else or nobody.
        run: whose answers the last ones were, and how many.
        late: messages whose addressed ones did not answer first.
        silent: messages that nobody answered.
        secrets: who was told each.
        seconds: how long each round took.
    """

    spoken: Counter[str] = field(default_factory=Counter)
    rounds: int = 0
    automatic: int = 0
    in_a_row: int = 0
    run: tuple[str, int] = ("", 0)
    late: list[str] = field(default_factory=list)
    silent: list[str] = field(default_factory=list)
    secrets: dict[str, set[str]] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)


def measure() -> Iterator[tuple[str, str, str]]:
    """Yield the shares, the limits and what leaked."""
    with tempfile.TemporaryDirectory() as folder:
        clock = HandClock()
        services = open_services(Home(Path(folder)), clock, Random(1))
        services.settings_file.change("mind", provider="builtin")
        course = converse(services, clock, Random(2), TURNS)
        leaked, found = leaks(services, clock, course)
        services.close()
    whole = sum(course.spoken.values())
    shares = ", ".join(f"{name} {count / whole:.0%}" for name, count in sorted(course.spoken.items()))
    yield f"{course.rounds} messages, {whole} answers: who spoke", shares, ""
    yield "answers of one in a row (ct), at most", str(course.in_a_row), "2"
    yield "answers among themselves (auto_prompt), at most", str(course.automatic), "3"
    yield "messages whose addressed ones did not answer first", str(len(course.late)), "0"
    yield "messages that nobody answered", str(len(course.silent)), "0"
    alone = sum(len(told) == 1 for told in course.secrets.values())
    kinds = f"{len(course.secrets)} secrets ({alone} told to one alone)"
    yield f"{kinds}, known to who was absent: files, recall, tools, dreams, answers", str(len(leaked)), "0"
    yield "those that recall and tools had for who was told", str(len(found)), "over 0"
    median, slowest = quantiles(course.seconds, n=20)[9], quantiles(course.seconds, n=20)[18]
    yield "a round, median / 95th percentile", f"{1000 * median:.0f} / {1000 * slowest:.0f} ms", ""


def converse(services: Services, clock: HandClock, rng: Random, turns: int) -> Course:
    """Talk so long with all three, one of them away now and then."""
    course, talk = Course(), services.groups.of(FOR_GROUPS, "en")
    while course.rounds + sum(course.spoken.values()) < turns:
        one, secret = (
            rng.choice(FOR_GROUPS),
            f"{rng.choice(('walnut', 'thistle', 'juniper'))}-{rng.randrange(10**8):08}",
        )
        if course.rounds % _SECRET_EACH == _SECRET_EACH - 1:
            talk.leave(one)
            course.secrets[secret] = {*FOR_GROUPS} - {one}
            _round(talk, f"Everyone, the code of the drawer is {secret}.", course, clock)
            talk.invite(one)
        else:
            if course.rounds % _SECRET_EACH == _SECRET_EACH // 2:
                course.secrets[secret] = {one}
                list(services.companion(one).say(f"The code of my locker is {secret}.").events())
            _round(talk, _said(rng), course, clock)
    for name in FOR_GROUPS:
        services.companion(name).settle()
    return course


def leaks(services: Services, clock: HandClock, course: Course) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Let all three dream and ask each for all secrets.

    Returns:
        Who knows what it was never told, by its files, recall, tools and answers; and what recall and tools had for who was.
    """
    clock.move(days=1)
    for name in FOR_GROUPS:
        services.sleeper(name).dream(Cancel())
    told = {secret: {*names} for secret, names in course.secrets.items()}
    known = {name: _looked_up(services, name) for name in FOR_GROUPS}
    found = [(name, secret) for name in FOR_GROUPS for secret in told if secret in known[name]]
    lying = {name: known[name] + _all_of(services.home.persona(name).folder) for name in FOR_GROUPS}
    leaked = [(name, one) for name in FOR_GROUPS for one in told if one in lying[name] and name not in told[one]]
    talk = services.groups.of(FOR_GROUPS)
    for name in FOR_GROUPS:
        for text in (f"{name}, what is the code of the drawer?", f"{name}、私のロッカーの番号は何だっけ？"):
            for said in (event.message for event in talk.say(text).events() if isinstance(event, Replied)):
                for secret in (one for one in told if one in said.text):
                    leaked += [] if said.speaker in told[secret] else [(said.speaker, secret)]
                    told[secret] = {*FOR_GROUPS}  # they have heard it now
        clock.move(minutes=1)
    return leaked, [one for one in found if one not in leaked]


def _looked_up(services: Services, name: str) -> str:
    """Return all that recall and every tool that reads have for a persona."""
    memories, tools = services.memories(name), all_tools()
    mind = services.companion(name).choice().mind
    context = ToolContext(memories.sheet(), mind, memories.settings(), memories, services.clock, (), leaves=False)

    def refuse(*_: object) -> ToolAnswer:
        raise AssertionError("a tool that reads writes nothing")

    found = [hit.text for asked in _ASKED for hit in memories.recall.recall_memories(asked)]
    for spec in tools.specs("en", writing=False):
        for asked in (*_ASKED, *memories.entities.names()):
            call = ToolCall("c1", spec.name, {"query": asked, "name": asked})
            found.append(tools.use(call, context, "en", refuse, tools.specs("en", writing=False)).text)
    return "\n".join(found)


def _round(talk: GroupConversation, text: str, course: Course, clock: HandClock) -> None:
    clock.move(seconds=45)
    present, began = talk.standing.present, time.perf_counter()
    spoken, speaker = list[str](), ""
    for event in talk.say(text).events():
        if isinstance(event, Begins):
            speaker = event.speaker
        elif isinstance(event, Replied):
            spoken.append(speaker)
    course.seconds.append(time.perf_counter() - began)
    course.rounds += 1
    course.spoken.update(spoken)
    names = {name: [name, *_names(talk)[name]] for name in present}
    targets = list(read_address(text, names).targets)
    if spoken[: len(targets)] != targets:
        course.late.append(text)
    if not spoken:
        course.silent.append(text)
    course.automatic = max(course.automatic, len(spoken) - max(len(targets), 1))
    for name in spoken:
        last, count = course.run
        course.run = name, count + 1 if name == last else 1
        if name not in targets:
            course.in_a_row = max(course.in_a_row, course.run[1])


def _names(talk: GroupConversation) -> Mapping[str, list[str]]:
    return {name: talk.open_companion(name).memories.settings().group.names for name in FOR_GROUPS}


def _said(rng: Random) -> str:
    """Return what the user says: to nobody, to one, to two, to all."""
    words, kind = rng.choice((*_SUBJECTS, sentence(rng))), rng.randrange(6)
    one, two = rng.sample(FOR_GROUPS, 2)
    return {0: f"{one}, {words}", 1: f"{one} and {two}, {words}", 2: f"Everyone, {words}"}.get(kind, words)


def _all_of(folder: Path) -> str:
    files = (path for path in folder.rglob("*") if path.is_file() and ".history" not in path.parts)
    return "\n".join(path.read_bytes().decode("utf-8", "replace") for path in files)
