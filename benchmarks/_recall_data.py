"""Real conversations with questions about them, beside the checkout; none of it is the project's own."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from managers.memory.log import ConversationLog
from managers.memory.messages import Message
from managers.recall.engine import Recall
from managers.recall.hits import Hit
from managers.recall.ranking.fusion import Ways
from managers.storage.clock import SystemClock
from managers.storage.paths import PersonaPaths
from managers.storage.settings import RecallSettings

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
LOCOMO = tuple(f"locomo-{number}" for number in range(1, 6))
JAPANESE = "realpersonachat-ad-ey"
DOCUMENTS = "jsquad-valid"

Search = Callable[[str, int], Sequence[Sequence[str]]]
"""Question and count → for each result, best first, the ids that it names."""


@dataclass(frozen=True, slots=True)
class Score:
    """Recall at 1, 5, 10 and 20 over all questions, and at 10 for each category."""

    questions: int
    at: dict[int, float]
    by_category: dict[int, float]


def is_there() -> bool:
    """Whether the data lie beside the checkout."""
    return (DATA / f"{LOCOMO[0]}.transcript.jsonl").is_file()


def lines(name: str) -> Iterator[dict[str, Any]]:
    """Yield the objects of a file of JSON lines."""
    with (DATA / name).open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def messages(name: str) -> list[Message]:
    """Return a transcript."""
    return [
        Message(one["id"], datetime.fromisoformat(one["time"]), one["role"], one["speaker"], one["text"])
        for one in lines(f"{name}.transcript.jsonl")
    ]


def open_persona(folder: Path, settings: RecallSettings | None = None, ways: Ways | None = None) -> Recall:
    """Return the recall of a persona's folder."""
    paths = PersonaPaths(folder)
    clock = SystemClock()
    return Recall(paths, ConversationLog(paths, clock, Random(1)), settings or RecallSettings(), clock, ways=ways)


def rebuilt(recall: Recall) -> Recall:
    """Make the indexes anew, and wait for the vectors of sentences, which come in the background."""
    recall.rebuild()
    if worker := recall._upkeep.vectors.worker:  # noqa: SLF001  # nobody else waits for it
        worker.join()
    return recall


def fill(folder: Path, name: str) -> None:
    """Make a persona that holds a transcript, or documents as files."""
    paths = PersonaPaths(folder)
    folder.mkdir(parents=True)
    if name == DOCUMENTS:
        paths.knowledge.mkdir()
        for one in lines(f"{name}.documents.jsonl"):
            (paths.knowledge / f"{one['id']}.txt").write_text(one["text"], "utf-8")
    else:
        ConversationLog(paths, SystemClock(), Random(1)).append_many(messages(name))


def ids_of(hit: Hit) -> tuple[str, ...]:
    """Return what a result names: messages, or its document."""
    return hit.message_ids or (Path(hit.path).stem,)


def score(name: str, search: Search, every: int = 1) -> Score:
    """Walk the results from the best down, keep the first distinct ids; the share of the evidence among them.

    Args:
        name: the conversation or the documents.
        search: returns the ids of each result, best first.
        every: only each so many questions, for whoever has little time.
    """
    depths = (1, 5, 10, 20)
    found: list[list[float]] = []
    categories: dict[int, list[float]] = {}
    for one in islice(lines(f"{name}.queries.jsonl"), 0, None, every):
        named = list(dict.fromkeys(one_id for ids in search(one["query"], max(depths)) for one_id in ids))
        evidence = set(one["evidence"])
        row = [len(evidence & set(named[:depth])) / len(evidence) for depth in depths]
        found.append(row)
        categories.setdefault(one.get("category", 0), []).append(row[2])
    means = {depth: sum(row[place] for row in found) / len(found) for place, depth in enumerate(depths)}
    return Score(len(found), means, {key: sum(rows) / len(rows) for key, rows in sorted(categories.items())})


def mean(scores: Sequence[Score], depth: int) -> float:
    """Return the mean over all questions of some conversations."""
    return sum(one.at[depth] * one.questions for one in scores) / sum(one.questions for one in scores)
