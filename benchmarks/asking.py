"""How often a person is asked for a yes on ordinary days: 200 turns, a document in a third of them, 40 wishes to write or to forget.

The wishes (`asking.toml`) were worded by a language model that knew the tools' descriptions and nothing else, and are made by a played
mind. Each question is told, so that whoever reads the figures sees what for.
"""

import tempfile
import tomllib
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from random import Random

from agent.companion import Companion
from agent.memories import Memories, open_memories
from agent.minds.builtin import BuiltInMind
from benchmarks.words import sentence
from managers.memory.notes import NoteKind
from managers.mind import Cancel, ReplyPiece, ReplyRequest, TextPiece, ToolCall
from managers.personas import PersonaStore
from managers.storage.errors import Lang
from managers.storage.paths import Home
from managers.storage.settings import Settings
from tests.agent.choosing import Always
from tests.fakes import HandClock

TURNS, MOST = 200, 4
_A_DAY, _A_DOCUMENT = 20, 3
_USERS: dict[Lang, str] = {"ja": "あおい", "en": "Aoi"}


class Noting(BuiltInMind):
    """A mind that reads prompts, and makes the calls that it is given."""

    name = "played"

    def __init__(self) -> None:
        super().__init__()
        self.call: ToolCall | None = None

    def ask(self, *_: object, **__: object) -> None:
        """Say that prompts are read; nobody asks."""

    def reply(self, request: ReplyRequest, cancel: Cancel) -> Iterator[ReplyPiece]:
        del cancel, request
        call, self.call = self.call, None
        yield call or TextPiece("OK.")


def measure() -> Iterator[tuple[str, str, str]]:
    """Yield how many questions were asked, and what for."""
    wishes = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    langs: tuple[Lang, ...] = ("en", "ja")
    for lang in langs:
        asked = list(_asked(lang, wishes[lang]))
        yield f"{lang}: questions on {TURNS} turns with {len(wishes[lang])} wishes", f"{len(asked)}", f"{MOST}"
        for said in asked:
            yield f"{lang}: {said}", "asked", ""


def _asked(lang: Lang, wishes: list[dict[str, str]]) -> Iterator[str]:
    """Live the days; yield what was said where somebody was asked."""
    clock, rng = HandClock(datetime(2026, 11, 28, 9, 0)), Random(11)
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder) / "home")
        personas = PersonaStore(home, clock, rng)
        personas.create("Nemu", language=lang, user_name=_USERS[lang])
        memories = open_memories(personas, "Nemu", Settings, clock, rng)
        mind = Noting()
        companion = Companion(memories, Always(mind), clock, rng)
        for turn in range(TURNS):
            clock.move(minutes=3)
            if turn % _A_DAY == 0:
                companion.new_topic()
            wish = wishes[turn // 5] if turn % 5 == 0 else None
            said = wish["said"] if wish else sentence(rng, question=turn % 2 == 0)
            letter = Path(folder) / f"letter{turn}.txt"
            letter.write_text(" ".join(sentence(rng) for _ in range(9)), "utf-8")
            mind.call = _call(memories, turn, wish) if wish else None
            before = {one.held.id for one in companion.waiting()}
            sent = [letter] if turn % _A_DOCUMENT == 1 else []
            list(companion.say(said, attachments=sent).events())
            companion.settle()
            if {one.held.id for one in companion.waiting()} - before:
                yield said
        companion.close()


def _call(memories: Memories, turn: int, wish: dict[str, str]) -> ToolCall:
    """Return a call; what it replaces stands there, as a person wrote it."""
    arguments = {key: value for key, value in wish.items() if key not in {"said", "tool"}}
    if old := wish.get("old_text"):
        kind: NoteKind = "notepad" if wish["tool"] == "edit_notepad" else "core_memory"
        memories.notes.append(kind, old, author="user", reason="-")
    if old := wish.get("old_fact"):
        memories.entities.note(wish["name"], old, author="user", mind="user")
    return ToolCall(f"c{turn}", wish["tool"], arguments)
