"""A persona learns from its own talks: what it would learn, the training, and which adapter speaks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from agent.memories import Memories
from managers.growth.adapters import Adapters, Card
from managers.growth.base_model import check_base, is_installed
from managers.growth.corpus import LEAST, Corpus, CorpusFile, draw
from managers.growth.errors import (
    BaseModelError,
    GrowthExtraMissingError,
    TooFewExamplesError,
    TrainingFailedError,
    TrainingUnderWayError,
)
from managers.growth.mark import due_for_growth
from managers.growth.training import ADAPTER, Job, job_file, job_in
from managers.mind import Cancel
from managers.storage.aside import move_durably
from managers.storage.errors import BusyError, Notice, UtataneError
from managers.storage.files import make_folder, remove_tree
from managers.storage.locks import holding
from managers.storage.opening import is_file
from managers.storage.paths import CHECKOUT
from managers.storage.settings import GrowthSettings
from managers.storage.texts import Texts

_say = Texts("notices/growth")
Told = Callable[[Mapping[str, Any]], None]
_MONTH: Final = timedelta(days=30)
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

    def is_due(self) -> bool:
        """Tell whether so much has come together since the last training that another one may be offered."""
        cards = self.adapters.all()
        return due_for_growth(self.memories.kpi.all_of(), self.settings, trained_at=cards[-1].kpi if cards else 0)

    def train(self, told: Told, cancel: Cancel) -> Card | None:
        """Train a version that goes on from the one in use; one that was killed goes on where it stood.

        Args:
            told: is given each step.
            cancel: ends it; what was done is kept.

        Returns:
            What it is, None if it was ended. It does not speak yet: that is the person's choice.

        Raises:
            GrowthExtraMissingError, BaseModelError, TooFewExamplesError, TrainingFailedError, TrainingUnderWayError
        """
        if not is_installed():
            raise GrowthExtraMissingError
        paths = self.memories.paths
        folder = paths.growth / ".training"
        make_folder(folder)
        try:
            with holding(paths.growth / ".lock", paths.name, 0):
                job = self._job(folder)
                if not is_file(folder / ADAPTER):
                    _run(folder, told, cancel)
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
        card = self._card(digest, corpus, cards, parent)
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

    def _card(self, digest: str, corpus: Corpus, cards: Sequence[Card], parent: Card | None) -> Card:
        """Return what will be written of the version that is to be trained."""
        ids = {one for example in corpus.kept for one in example.evidence} | set(parent.messages if parent else ())
        return Card(
            version=max((one.version for one in cards), default=0) + 1,
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
    newest = max((card.made for card in growth.adapters.all()), default="")
    month_ago = f"{memories.clock.now() - _MONTH:%Y-%m-%d %H:%M}"
    if not growth.settings.monthly or newest > month_ago:
        return []
    growth.look()
    try:
        card = growth.train(lambda _: None, cancel)
    except TooFewExamplesError:
        return []
    if card is None:
        return []
    facts = {"version": card.version, "before": card.loss_before, "after": card.loss}
    return [_say.notice("grown", name=memories.paths.name, **facts)]


def _run(folder: Path, told: Told, cancel: Cancel) -> None:
    """Run a training to its end, or until it is cancelled."""
    safe = {name: value for name, value in os.environ.items() if not any(one in name.upper() for one in _SECRET)}
    process = subprocess.Popen(  # noqa: S603  # our own Python with our own words
        [sys.executable, "-m", "managers.growth.training", str(folder)],
        cwd=CHECKOUT,
        env={**safe, "PYTHONPATH": str(CHECKOUT), "PYTHONIOENCODING": "utf-8"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
    )
    last: dict[str, Any] = {}
    assert process.stdout is not None
    with process, process.stdout as lines:
        for line in lines:
            if cancel.is_set():
                process.terminate()
                break
            last = json.loads(line)
            told(last)
    if not cancel.is_set() and (process.returncode or "done" not in last):
        raise _failure(last, process.returncode)


def _failure(last: Mapping[str, Any], status: int) -> UtataneError:
    error = last.get("error")
    if isinstance(error, dict):
        return TrainingFailedError(cause_ja=error.get("ja"), cause_en=error.get("en"))
    return TrainingFailedError(cause_ja=f"status {status}", cause_en=f"status {status}")
