"""One of the three indexes: its passages in memory as columns, and the ways to read them."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from time import monotonic
from uuid import uuid4

import numpy as np
import numpy.typing as npt

from managers.recall.embedders.ngrams import NgramEmbedder
from managers.recall.hits import MemoryType
from managers.recall.index.index_terms import vector_text
from managers.recall.index.index_writer import IndexWriter
from managers.recall.index.related_words import lists_version
from managers.recall.index.store import COLUMN_BLOCK, COLUMNS, FILE_NAME, FORMAT, FileRecord, Store, load_ids
from managers.recall.index.vectors import VectorIndex
from managers.recall.index.view import View
from managers.recall.index.word_vectors import PLACE
from managers.storage import idle
from managers.storage.files import make_folder, remove_tree


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage as it stands in the store."""

    number: int
    text: str
    type: MemoryType
    unit: str
    path: str
    message_ids: tuple[str, ...]
    time: datetime | None
    role: str
    speaker: str
    heading: str


class MemoryIndex:
    """Passages of some kinds of memory: words in posting lists, vectors in FAISS, facts in columns."""

    def __init__(self, folder: Path, *, only_look: bool = False) -> None:
        """Remember the folder; nothing is opened before it is used. With `only_look`, nothing is made or changed."""
        self.folder = folder
        self.store = Store(folder / FILE_NAME, only_look=only_look)
        self.writer = IndexWriter(self.store)
        self.vectors = VectorIndex(folder / "vectors.faiss")
        self.sentences = VectorIndex(folder / "sentences.faiss", "sentences")
        self._both = self.vectors, self.sentences
        self._lock = threading.RLock()
        self._epoch = ""
        self._revision = -1
        self._used = 0.0
        idle.watch(self)
        self.embedder = ""
        """What made the vectors, as it was at the last `refresh`; empty while there is nothing."""
        self.columns: npt.NDArray[np.void] = np.zeros(0, COLUMNS)
        self.view = View.of(self.columns, [])

    def refresh(self) -> str:
        """Take in what this or another process has committed since; costs next to nothing if nothing.

        Returns:
            the epoch that the index is in.
        """
        with self._lock:
            self._used = monotonic()
            epoch, revision = self.store.marks()
            if (epoch, revision) == (self._epoch, self._revision):
                return epoch
            known, self._epoch = self._epoch, ""  # what fails half-way begins anew the next time
            if epoch != known:
                self._clear()
                self.columns = np.zeros(0, COLUMNS)
                self._revision = -1
                self.embedder = self.store.meta("embedder")
            changed = self.store.columns_since(self._revision)
            end = max((block * COLUMN_BLOCK + len(data) for block, data in changed), default=0)
            columns = np.zeros(max(end, len(self.columns)), COLUMNS)  # a search under way reads the old ones
            columns[: len(self.columns)] = self.columns
            for block, data in changed:
                columns[block * COLUMN_BLOCK : block * COLUMN_BLOCK + len(data)] = data
            for vectors in self._both:
                vectors.follow(self.store, epoch)
            self.view = View.of(columns, self.store.speakers())
            self.columns = columns
            self._epoch, self._revision = epoch, revision
            return epoch

    def close_idle(self, before: float) -> None:
        """Hold no vectors that nobody has looked for in a minute; whoever does has them read again."""
        with self._lock:
            if self._used < before - 35:  # seconds more than others: hardly between two messages of a talk
                self._clear()
                self._epoch = ""

    def _clear(self) -> None:
        for vectors in self._both:
            vectors.clear()

    def _remove(self) -> None:
        for vectors in self._both:
            vectors.remove()

    def fits(self, embedder: str) -> str:
        """Say why the index cannot be used as it is (`format`, `embedder`); empty if it can."""
        if self.store.meta("format") != FORMAT or self.store.meta("related") not in ("", lists_version()):
            return "format"
        held = self.store.meta("embedder")
        return "embedder" if held not in ("", embedder) else ""

    def claim(self, embedder: str) -> None:
        """Note what makes the vectors of an index that is still empty."""
        if self.store.meta("embedder") == "":
            with self.store.transaction():
                self.store.set_meta("embedder", embedder)
                self.store.set_meta("epoch", uuid4().hex)

    def has_places(self) -> bool:
        """Whether passages are listed by the meaning of their words too."""
        row = self.store.connection().execute("SELECT 1 FROM postings WHERE term >= ? AND term < ?", (PLACE, "\x04"))
        return row.fetchone() is not None

    def drop_vectors(self, embedder: str, keep: Mapping[str, str | bytes]) -> None:
        """Throw all vectors away because another embedder makes them now; words find all passages meanwhile."""
        with self.store.transaction() as connection:
            connection.execute("DELETE FROM vectors")
            connection.execute("INSERT OR IGNORE INTO unembedded SELECT id FROM chunks")
            self.store.set_meta("epoch", uuid4().hex)
            self.store.set_meta("embedder", embedder)
            self.store.set_meta(_PUT_OFF, "{}")
            for key, value in keep.items():
                self.store.set_meta(key, value)

    def reset(self, embedder: str, keep: Mapping[str, str | bytes] | None = None) -> None:
        """Empty the index for a rebuild, in a new epoch."""
        with self._lock:
            self._remove()
            self.store.remove()
            with self.store.transaction():
                self.store.set_meta("epoch", uuid4().hex)
                self.store.set_meta("embedder", embedder)
                self.store.set_meta("related", lists_version())
                for key, value in (keep or {}).items():
                    self.store.set_meta(key, value)
            self._epoch = ""

    def discard(self) -> None:
        """Throw everything away, whatever state it is in; the next use begins an empty index."""
        with self._lock:
            self._clear()
            self._remove()
            self.store.remove()
            self._epoch = ""

    def take_over(self, fresh: MemoryIndex) -> None:
        """Become another index that was built beside this one; searches go on with the old one until then."""
        with self._lock:
            self._hand_sentences(fresh.store)
            fresh.store.finish()
            self._clear()  # there is no room for both while the snapshot is made
            self._remove()
            make_folder(self.folder)
            self.store.replace_with(fresh.store.path)
            remove_tree(fresh.folder)

    def _hand_sentences(self, fresh: Store) -> None:
        """Let the vectors of sentences that are as they were answer on; of the rest they are made in the background."""
        if self.store.vector_count("sentences"):
            fresh.set_meta("sentences", self.store.meta("sentences"))
            fresh.connection().execute("ATTACH ? AS before", (str(self.store.path),))
            fresh.connection().execute(_HAND_SENTENCES)
            fresh.connection().execute("DETACH before")

    def passages(self, numbers: Sequence[int]) -> dict[int, Passage]:
        """Return passages by number; one that is gone by now is left out."""
        found: dict[int, Passage] = {}
        connection = self.store.connection()
        for at in range(0, len(numbers), 500):
            some = [int(number) for number in numbers[at : at + 500]]
            marks = ",".join("?" * len(some))
            rows = connection.execute(_SELECT.format(marks), some).fetchall()
            for number, text, kind, unit, path, ids, time, role, speaker, heading in rows:
                when = datetime.fromisoformat(time) if time else None
                found[number] = Passage(
                    number, text, kind, unit, path, load_ids(unit, ids), when, role or "", speaker, heading
                )
        return found

    def store_units(self, file: FileRecord) -> dict[str, bytes]:
        """Return what is indexed of a file: the digest of each unit."""
        rows = self.store.connection().execute("SELECT unit, digest FROM chunks WHERE file = ?", (file.id,))
        return dict(rows)

    def has_unit(self, file: FileRecord, unit: str) -> bool:
        row = self.store.connection().execute("SELECT 1 FROM chunks WHERE file = ? AND unit = ?", (file.id, unit))
        return row.fetchone() is not None

    def unembedded(self, count: int, now: float = 0) -> list[tuple[int, str]]:
        """Return passages that have no vector yet, the newest first: they are asked for soonest.

        Args:
            count: at most so many.
            now: seconds since 1970; what is put off until later is left out.
        """
        rows = self.store.connection().execute(_UNEMBEDDED, (self._put_off(), now, count))
        return [(number, vector_text(text, heading)) for number, text, heading in rows]

    def embed_at_once(self, own: NgramEmbedder | None) -> None:
        """Make the built-in embedder's vectors, where that is used: they cost less than waiting."""
        while own is not None and (batch := self.unembedded(2000)):
            with self.store.transaction():
                self.store.raise_revision()
                self.writer.add_vectors([number for number, _ in batch], own.passages([text for _, text in batch]))

    def without_sentence(self, count: int) -> list[tuple[int, str]]:
        """Return passages that have no sentence's vector yet, the newest first."""
        rows = self.store.connection().execute(_WITHOUT_SENTENCE, (count,))
        return [(number, vector_text(text, heading)) for number, text, heading in rows]

    def take_sentences_of(self, name: str) -> None:
        """Keep the sentences' vectors if this made them; else they are made anew."""
        if self.store.meta("sentences") != name:
            with self.store.transaction() as connection:
                if connection.execute("DELETE FROM sentences").rowcount:
                    self.store.set_meta("epoch", uuid4().hex)
                self.store.set_meta("sentences", name)

    def unembedded_count(self) -> int:
        return int(self.store.connection().execute("SELECT count(*) FROM unembedded").fetchone()[0])

    def put_off_count(self, now: float) -> int:
        """Return how many of them are put off until later than now."""
        return int(self.store.connection().execute(_PUT_OFF_COUNT, (self._put_off(), now)).fetchone()[0])

    def put_off(self, number: int, until: float) -> None:
        """Leave a passage that cannot be embedded until a moment, inside a transaction; a changed one is another."""
        waiting = {row[0] for row in self.store.connection().execute("SELECT chunk FROM unembedded")}
        held = {int(one): later for one, later in json.loads(self._put_off()).items()}
        kept = {one: later for one, later in held.items() if one in waiting} | {number: until}
        self.store.set_meta(_PUT_OFF, json.dumps(kept))

    def _put_off(self) -> str:
        return self.store.meta(_PUT_OFF) or "{}"

    def tidy(self) -> None:
        """Leave nothing of dead passages in the posting lists, the columns and the snapshot of the vectors."""
        self.store.sweep()  # searches go on meanwhile
        epoch = self.refresh()
        for vectors in self._both:
            vectors.compact(self.store, epoch, self.columns["alive"] > 0)

    def texts(self) -> Iterator[str]:
        """Yield what is embedded of every passage."""
        for text, heading in self.store.connection().execute("SELECT text, heading FROM chunks"):
            yield vector_text(text, heading)

    def save_snapshot(self) -> None:
        """Write the FAISS file if it is worth it."""
        for vectors in self._both:
            if vectors.begin(self.store, self.store.marks()[0]):
                with self._lock:
                    self._epoch = ""
            vectors.save_if_grown(self.store, self.refresh())


_PUT_OFF = "put_off"
_UNEMBEDDED = (
    "SELECT u.chunk, c.text, c.heading FROM unembedded u JOIN chunks c ON c.id = u.chunk WHERE u.chunk NOT IN "
    "(SELECT CAST(key AS INTEGER) FROM json_each(?) WHERE value > ?) ORDER BY u.chunk DESC LIMIT ?"
)
_HAND_SENTENCES = (
    "INSERT OR IGNORE INTO sentences (chunk, code) SELECT now.id, code FROM before.sentences JOIN before.chunks old "
    "ON old.id = chunk JOIN main.chunks now ON now.text = old.text AND now.heading = old.heading"
)
_WITHOUT_SENTENCE = (
    "SELECT id, text, heading FROM chunks WHERE id NOT IN (SELECT chunk FROM sentences) ORDER BY id DESC LIMIT ?"
)
_PUT_OFF_COUNT = (
    "SELECT count(*) FROM unembedded WHERE chunk IN (SELECT CAST(key AS INTEGER) FROM json_each(?) WHERE value > ?)"
)

_SELECT = (
    "SELECT c.id, c.text, c.type, c.unit, f.path, c.message_ids, c.time, c.role, c.speaker, c.heading "
    "FROM chunks c JOIN files f ON f.id = c.file WHERE c.id IN ({})"
)
