"""What hygiene does to recall: real conversations of which every day was dreamt, with C-values, limits and merges and without.

Some of the questions were asked before, so that what they brought was used: its C-values have risen when it is measured.
"""

import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from random import Random
from time import monotonic

from agent.minds.builtin.mind import BuiltInDreamMind
from benchmarks._recall_data import (
    JAPANESE,
    LOCOMO,
    Score,
    fill,
    ids_of,
    is_there,
    lines,
    mean,
    messages,
    rebuilt,
    score,
)
from managers.hygiene.housekeeping import Housekeeping
from managers.hygiene.use import note_use
from managers.memory.json_documents import write_plainly
from managers.memory.log import ConversationLog
from managers.memory.messages import Message
from managers.memory.working_copy import Stores, WorkingCopy
from managers.mind import Sheet
from managers.recall.engine import Recall
from managers.recall.hits import SUMMARY_TYPES, MemoryType
from managers.recall.recall_log import RecallLog
from managers.sleep.dream import Dreamer
from managers.storage.errors import Lang
from managers.storage.paths import PersonaPaths
from managers.storage.settings import MemorySettings, RecallSettings

Row = tuple[str, str, str]

SHARES = (0.0, 0.1, 0.2, 0.4, 0.8)
_DREAMT: tuple[MemoryType, ...] = (*SUMMARY_TYPES, "entity_memory")
_ASKED_BEFORE = 3
"""Every so manieth question was asked before."""
_USED = 3
"""So many of what was found for it were used."""


class _Then:
    """The clock of the day after a conversation ended."""

    def __init__(self, name: str) -> None:
        self._moment = messages(name)[-1].time + timedelta(days=1)

    def now(self) -> datetime:
        return self._moment

    def utc(self) -> datetime:
        return self._moment.replace(tzinfo=UTC)

    def monotonic(self) -> float:
        return monotonic()


def measure() -> Iterator[Row]:
    """Yield what recall reaches with hygiene and without."""
    if not is_there():
        yield "real conversations", "skipped: no data beside the checkout", ""
        return
    with tempfile.TemporaryDirectory() as folder:
        for hygiene in (True, False):
            for name in (*LOCOMO, JAPANESE):
                _live(Path(folder) / f"{hygiene}" / name, name, hygiene=hygiene)
        yield from _rows("hygiene off", Path(folder) / "False", 0.0, "")
        for share in SHARES:
            yield from _rows(f"hygiene on, share {share}", Path(folder) / "True", share, "≥ off - 0.01")


def _live(folder: Path, name: str, *, hygiene: bool) -> None:
    """Dream of every day of a conversation, use what was asked for, and tidy up."""
    fill(folder, name)
    clock, paths = _Then(name), PersonaPaths(folder)
    lang: Lang = "ja" if name == JAPANESE else "en"
    limits = MemorySettings(hygiene=hygiene, prune_interval=1, merge_interval=1)
    log = ConversationLog(paths, clock, Random(1))
    mind, apply = BuiltInDreamMind(), write_plainly(paths)
    speakers = {one.role: one.speaker for one in messages(name)}
    sheet = Sheet(speakers["persona"], lang, "", user_name=speakers["user"])
    Dreamer(paths, log, clock, sheet=sheet, mind=mind, fallback=mind, apply=apply, limits=limits).dream(catch_up=True)
    recall = _opened(folder, name, RecallSettings())
    rebuilt(recall)
    kept, copy = RecallLog(paths), WorkingCopy(Stores.open(paths, clock, limits))
    for number, one in enumerate(islice(lines(f"{name}.queries.jsonl"), 0, None, _ASKED_BEFORE)):
        hits = recall.search(one["query"], _USED)
        kept.append(Message(f"answer-{number}", clock.now(), "persona", "x", ""), one["query"], hits)
    if hygiene:
        note_use(copy, kept, clock.now().date())
        apply(copy.files(), author="dream", reason="used")
    Housekeeping(paths, clock, apply, limits).after_night(1)
    recall.catch_up()
    recall.close()


def _opened(folder: Path, name: str, settings: RecallSettings) -> Recall:
    paths, clock = PersonaPaths(folder), _Then(name)
    return Recall(paths, ConversationLog(paths, clock, Random(1)), settings, clock)


def _rows(label: str, folder: Path, share: float, budget: str) -> Iterator[Row]:
    for kinds, types in (("everything", None), ("dreamt memories alone", _DREAMT)):
        scores = {name: _scored(folder, name, share, types) for name in (*LOCOMO, JAPANESE)}
        value = f"{mean([scores[name] for name in LOCOMO], 10):.4f} / {scores[JAPANESE].at[10]:.4f}"
        yield f"LoCoMo 1-5 / Japanese chat, R@10, {kinds}, {label}", value, budget


def _scored(folder: Path, name: str, share: float, types: tuple[MemoryType, ...] | None) -> Score:
    recall = _opened(folder / name, name, RecallSettings(confidence_share=share))
    try:
        return score(name, lambda query, k: [ids_of(hit) for hit in recall.search(query, k, types=types)])
    finally:
        recall.close()
