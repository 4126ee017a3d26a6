"""A persona learns from its own talks: what it would learn, the training, and which adapter speaks."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Final

from agent.memories import Memories
from agent.minds.relevance import topics_among
from managers.growth.adapters import Adapters, Card
from managers.growth.base_model import check_base, is_installed
from managers.growth.corpus import LEAST, Corpus, CorpusFile, draw
from managers.growth.corpus_card import CorpusCard, card_of_corpus
from managers.growth.errors import (
    BaseModelError,
    GrowthExtraMissingError,
    TooFewExamplesError,
    TrainingFailedError,
    TrainingOvertakenError,
    TrainingUnderWayError,
)
from managers.growth.training import ADAPTER, JOB, Job, job_file, job_in
from managers.memory.messages import Message
from managers.mind import Cancel
from managers.storage.aside import move_durably
from managers.storage.clock import AHEAD
from managers.storage.errors import BusyError, Notice, UtataneError
from managers.storage.files import make_folder, remove_tree
from managers.storage.json_text import NotJsonError, load_json
from managers.storage.locks import holding
from managers.storage.opening import is_file
from managers.storage.paths import CHECKOUT
from managers.storage.settings import GrowthSettings
from managers.storage.texts import Texts

_say = Texts("notices/growth")
Told = Callable[[Mapping[str, Any]], None]
_MONTH: Final = timedelta(days=30)
_NEWEST, _TOPICS = 300, 8
"""Examples that are looked through for topics, and topics that are told."""
_LOOK_SECONDS: Final = 0.2
"""How soon a training ends that is to."""
_TRAINING = "managers.growth.training"
"""The module that runs in a process of its own."""
_TOLD: Final = frozenset({"step", "done", "error"})
_SECRET: Final = ("KEY", "TOKEN", "SECRET", "PASSWORD")
"""No process that reads a model from elsewhere gets what an environment's variables of such names hold."""


@dataclass
class Growth:
    """What one persona has learned, and may learn."""

    memories: Memories

    @property
    def adapters(self) -> Adapters:
        return Adapters(self.memories.paths, self.memories.clock)

    @property
    def corpus(self) -> CorpusFile:
        return CorpusFile(self.memories.paths, self.memories.clock)

    @property
    def settings(self) -> GrowthSettings:
        return self.memories.settings().growth

    def look(self) -> Corpus:
        """Write down anew what there is to learn from, for the person to look through; return it."""
        memories = self.memories
        mask = memories.masking().begin()
        kept, private = memories.audiences.kept(), self.settings.private
        found = draw(
            memories.log.messages(),
            memories.sheet().language,
            mask.hide,
            lambda ids: not private and kept.holds(ids),
        )
        return self.corpus.renew(found)

    def card(self, corpus: Corpus) -> CorpusCard:
        """Return what is in a corpus; its topics are those of the newest examples, counted in all."""
        asked = [
            Message(one.id, self.memories.clock.now(), "user", "", one.said[-1][1]) for one in corpus.kept[-_NEWEST:]
        ]
        return card_of_corpus(corpus, topics_among(asked, _TOPICS))

    @property
    def is_set_up(self) -> bool:
        """Whether a base model was named, and the extra is there."""
        return bool(self.settings.base) and is_installed()

    def is_due(self) -> bool:
        """Tell whether so much has come together since the last training that another one may be offered."""
        cards, mark = self.adapters.all(), self.settings.mark
        return 0 < mark <= self.memories.kpi.all_of().total - (cards[-1].kpi if cards else 0)

    def offers(self) -> list[Notice]:
        """Return the notice that another training is worth it, if it is and one could be begun."""
        if not self.is_set_up or not self.is_due():
            return []
        version = self.adapters.next_version
        return [_say.notice("growth-due", "info", name=self.memories.paths.name, version=version)]

    def train(self, told: Told, cancel: Cancel) -> Card | None:
        """Train a version that goes on from the one in use; one that was killed goes on where it stood.

        What there is to learn from is drawn anew before; what the person changed or dropped there stays so.

        Args:
            told: is given each step.
            cancel: ends it; what was done is kept.

        Returns:
            What it is, None if it was ended. It does not speak yet: that is the person's choice.

        Raises:
            GrowthExtraMissingError, BaseModelError, TooFewExamplesError, TrainingFailedError, TrainingUnderWayError
            TrainingOvertakenError: something was erased meanwhile; nothing of it is kept.
        """
        if not is_installed():
            raise GrowthExtraMissingError
        paths = self.memories.paths
        folder = paths.growth / ".training"
        make_folder(folder)
        try:
            with holding(paths.growth / ".lock", paths.name, 0, within=paths.folder):
                self.look()
                job = self._job(folder)
                if not is_file(folder / ADAPTER):
                    _run(folder, told, cancel)
                if not is_file(folder / JOB):  # an erasure takes it: what was learned may hold what is gone
                    remove_tree(folder)
                    raise TrainingOvertakenError(persona=paths.name)
                if cancel.is_set():
                    return None
                move_durably(folder / ADAPTER, self.adapters.path(job.card.version))
                remove_tree(folder)
        except BusyError as error:
            raise TrainingUnderWayError(persona=paths.name) from error
        return self.adapters.get(job.card.version)

    def _job(self, folder: Path) -> Job:
        """Return what is to be trained: what was begun, as long as the base model and the examples are the same."""
        settings, adapters = self.settings, self.adapters
        if not settings.base:
            raise BaseModelError(
                path="", cause_ja="どのモデルか、まだ選ばれていません。", cause_en="none has been chosen yet."
            )
        digest, corpus = check_base(Path(settings.base)), self.corpus.load()
        if len(corpus.learned) < LEAST:
            raise TooFewExamplesError(count=len(corpus.learned), least=LEAST)
        cards = adapters.all()
        parent = next((one for one in cards if one.version == adapters.in_use and one.base_digest == digest), None)
        card = self._card(digest, corpus, adapters.next_version, parent)
        job = Job(
            base=settings.base,
            parent=str(adapters.path(parent.version)) if parent else "",
            card=card,
            learned=corpus.learned,
            held_out=corpus.held_out,
            epochs=settings.epochs,
            rate=settings.rate,
            most_tokens=settings.most_tokens,
        )
        begun = job_in(folder)
        if begun is not None and begun.is_same_work(job):
            return begun
        remove_tree(folder)
        make_folder(folder)
        job_file(folder, job)
        return job

    def _card(self, digest: str, corpus: Corpus, version: int, parent: Card | None) -> Card:
        """Return what will be written of the version that is to be trained."""
        ids = {one for example in corpus.kept for one in example.evidence} | set(parent.messages if parent else ())
        return Card(
            version=version,
            parent=parent.version if parent else 0,
            made=f"{self.memories.clock.now():%Y-%m-%d %H:%M}",
            base=Path(self.settings.base).name,
            base_digest=digest,
            rank=parent.rank if parent else self.settings.rank,
            learned=len(corpus.learned),
            held_out=len(corpus.held_out),
            messages=sorted(ids),
            kpi=self.memories.kpi.all_of().total,
        )


def grow_by_itself(memories: Memories, cancel: Cancel) -> list[Notice]:
    """Train another version where the person wants one each month, and a month has passed; for nights."""
    growth = Growth(memories)
    if not growth.settings.monthly or not growth.is_set_up:
        return []
    now = memories.clock.now()
    since, ahead = (f"{one:%Y-%m-%d %H:%M}" for one in (now - _MONTH, now + AHEAD))
    if any(since < card.made <= ahead for card in growth.adapters.all()):
        return []
    try:
        card = growth.train(lambda _: None, cancel)
    except (TooFewExamplesError, TrainingUnderWayError):
        return []
    if card is None:
        return []
    facts = {"version": card.version, "before": card.loss_before, "after": card.loss}
    return [_say.notice("grown", name=memories.paths.name, **facts)]


def _run(folder: Path, told: Told, cancel: Cancel) -> None:
    """Run a training to its end, or until it is cancelled or an erasure takes its job away.

    Raises:
        TrainingFailedError
    """
    safe = {name: value for name, value in os.environ.items() if not any(one in name.upper() for one in _SECRET)}
    process = subprocess.Popen(  # noqa: S603  # our own Python with our own words
        [sys.executable, "-m", _TRAINING, str(folder)],
        cwd=CHECKOUT,
        env={**safe, "PYTHONPATH": str(CHECKOUT), "PYTHONIOENCODING": "utf-8"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
    )
    said: SimpleQueue[str | None] = SimpleQueue()
    with process:
        threading.Thread(target=_hear, args=(process.stdout, said), name="training", daemon=True).start()
        last = None
        try:
            last = _follow(said, told, lambda: cancel.is_set() or not is_file(folder / JOB))
        finally:
            if last is None:
                process.terminate()
    if last is not None and (process.returncode or "done" not in last):
        raise _failure(last, process.returncode)


def _hear(lines: Iterable[str], said: SimpleQueue[str | None]) -> None:
    """Pass on what a training tells, line by line, and None at its end."""
    for line in lines:
        said.put(line)
    said.put(None)


def _follow(said: SimpleQueue[str | None], told: Told, is_over: Callable[[], bool]) -> Mapping[str, Any] | None:
    """Pass on each step; return the last thing that was told, None where it was ended before its end.

    Loading a model takes long without a word, so whether it is to end is looked at meanwhile, too.
    """
    last: Mapping[str, Any] = {}
    while not is_over():
        with suppress(Empty):
            line = said.get(timeout=_LOOK_SECONDS)
            if line is None:
                return last
            if facts := _facts(line):
                last = facts
                told(facts)
    return None


def _facts(line: str) -> Mapping[str, Any]:
    """Return what a line of a training tells; nothing, where a library printed it."""
    with suppress(NotJsonError):
        found = load_json(line)
        if isinstance(found, dict) and not _TOLD.isdisjoint(found):
            return found
    return {}


def _failure(last: Mapping[str, Any], status: int) -> UtataneError:
    error = last.get("error")
    if isinstance(error, dict):
        return TrainingFailedError(cause_ja=error.get("ja"), cause_en=error.get("en"))
    return TrainingFailedError(cause_ja=f"status {status}", cause_en=f"status {status}")
