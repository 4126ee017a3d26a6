"""The map of one persona's memories: kept up with the search index, drawn from what is kept."""

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from managers.memory_map import naming, placing
from managers.memory_map.drawing import Drawing, Stopped, mended
from managers.memory_map.naming import NamingWord, Places
from managers.memory_map.passages import Codes, Passages, Vectors
from managers.memory_map.pieces import Piece, PieceKind, bundle_of, day_bundle, pieces_of
from managers.memory_map.placing import Layout, Whole
from managers.memory_map.sheet import FORMAT, LEVELS, MAP, Placed, Sheet, SheetFile
from managers.recall.engine import Recall
from managers.recall.hits import LOG_TYPES
from managers.recall.index.memory_index import Passage
from managers.recall.status import Progress
from managers.storage.files import entries
from managers.storage.paths import PersonaPaths

SMALL = 60
"""So many days or files that are new or changed are put on the map while one waits."""

_FIRST_SMALL = 40
"""So many passages are drawn at once the first time too."""
_GROWTH, _ROOM = 1.25, 6
_CHANGED, _CHANGED_SHARE = 3, 0.04
_RARE_COUNTS = 20_000
_FILE_EACH: tuple[PieceKind, ...] = ("episode", "entity")

Names = Mapping[str, Mapping[int, Sequence[NamingWord]]]
"""The words of each region and quarter."""


@dataclass(frozen=True, slots=True, eq=False)
class Atlas:
    """The map as it can be drawn; one that was looked at again unchanged is the same object.

    Attributes:
        pieces: every memory where it lies.
        regions, quarters: of each anchor.
        names: the words of each region and quarter.
        waiting: bundles that are not on it yet, or wait for their vectors.
    """

    pieces: list[Placed] = field(default_factory=list)
    regions: Whole = field(default_factory=lambda: np.zeros(0, np.int64))
    quarters: Whole = field(default_factory=lambda: np.zeros(0, np.int64))
    names: Names = field(default_factory=dict)
    is_waiting: bool = False


@dataclass
class _Change:
    """What is to be put on the map anew."""

    bundles: dict[str, Codes]
    afresh: bool = False


class MemoryMap(Drawing):
    """The map, for one persona. Used from several threads."""

    def __init__(self, paths: PersonaPaths, recall: Recall, *, only_look: bool = False) -> None:
        """Remember where it is kept and what it is drawn from; nothing is opened yet. With `only_look`, it is not kept."""
        super().__init__(paths, recall, SheetFile(paths.rag_index / "memory_map.sqlite", MAP, only_look=only_look))
        self.progress: Progress | None = None
        self._lock = threading.RLock()
        self._seen: tuple[str, Atlas] | None
        self._followed = ""

    # Drawing

    @mended
    def look(self) -> Atlas | None:
        """Return the map at once: with little that is new, up to date; with much, as it is kept, while more is drawn.

        Returns:
            None: there is none yet; it is being drawn (`progress`).
        """
        if not self.is_drawing and (not self._followed_up(SMALL) or self._is_due()):
            self._start(self.redraw)
        return self._shown(self.passages())

    @property
    def making(self) -> str:
        """A token that differs whenever more of the map has been drawn, in tenths."""
        progress = self.progress if self.is_drawing else None
        far = 10 * progress.done // max(progress.total, 1) if progress else ""
        return f"{super().making}{far}"

    def passages(self) -> Passages:
        """Return what is indexed now."""
        return Passages(self._recall.indexes)

    def read(self, codes: Iterable[int]) -> dict[int, Passage]:
        """Return passages whose files are still there."""
        found = self.passages().read(codes)
        exists = {path: (self._paths.folder / path).exists() for path in {one.path for one in found.values()}}
        return {code: passage for code, passage in found.items() if exists[passage.path]}

    @mended
    def members_of(self, key: str) -> list[Passage]:
        """Return the passages of one piece, in order; empty if it is gone."""
        with self.file.opened() as sheet:
            codes = sheet.members_of(key)
        held = self.read(codes)
        return [held[code] for code in codes if code in held]

    def _shown(self, passages: Passages) -> Atlas | None:
        with self.file.opened() as sheet:
            marks = f"{sheet.number('revision')} {passages.marks()} {files_stamp(self._paths)}"
            if (seen := self._seen) is not None and seen[0] == marks:
                return seen[1]
            kept = sheet.layout()
            if kept is None or sheet.text("embedder") != passages.embedder or sheet.text("epoch") != passages.epoch:
                return None if len(passages.all()) else Atlas()
            pieces = sheet.placed()
            there = passages.are_there(np.array([piece.face for piece in pieces], np.int64))
            exists = _in_folders(self._paths)
            pieces = [
                piece
                for piece, is_there in zip(pieces, there.tolist(), strict=True)
                if is_there and (piece.kind not in _FILE_EACH or piece.key in exists)
            ]
            waiting = any(is_waiting for _, is_waiting in sheet.bundles().values())
            atlas = Atlas(pieces, kept[1].regions, kept[1].quarters, sheet.names(), waiting)
        self._seen = (marks, atlas)
        return atlas

    # Keeping up

    @mended
    def catch_up(self, at_most: int | None = None) -> bool:
        """Put on the map what is new, and take off what is gone.

        Args:
            at_most: leave everything as it is if more bundles than this have changed, or all is to be drawn anew.

        Returns:
            whether the map is up to date now.
        """
        return self._followed_up(at_most)

    def _followed_up(self, at_most: int | None = None) -> bool:
        with self._lock:
            return self._brought_up(at_most)

    def _brought_up(self, at_most: int | None) -> bool:
        passages = self.passages()
        marks = passages.marks()
        if marks == self._followed and self.file.is_there():
            return True
        with self.file.opened() as sheet:
            change = self._changed(sheet, passages)
            if not change.bundles and not change.afresh:
                self._followed = marks
                return True
            is_much = len(change.bundles) > (at_most if at_most is not None else len(change.bundles))
            is_first = sheet.layout() is None or change.afresh
            if is_much or (at_most is not None and is_first and len(passages.all()) > _FIRST_SMALL):
                return False
        with self.file.opened(to_write=True) as sheet:
            if is_first:
                self._draw(sheet, passages, change.bundles)
            else:
                self._add(sheet, passages, change.bundles)
        return True

    @mended
    def redraw(self) -> None:
        """Do all that is due: what is new, a new fit where the map has grown, new names where they have aged."""
        with self._lock:
            try:
                self._followed_up()
                if self._is_due():
                    self._renew()
            finally:
                self.progress = None

    def _renew(self) -> None:
        passages = self.passages()
        with self.file.opened(to_write=True) as sheet:
            kept = sheet.layout()
            if _has_grown(sheet):
                self._draw(sheet, passages, {name: members for name, (members, _) in sheet.bundles().items()})
            elif kept is not None:
                self._name(sheet, passages, kept[1])

    def _is_due(self) -> bool:
        with self.file.opened() as sheet:
            return sheet.layout() is not None and (_has_grown(sheet) or _has_aged(sheet))

    def _changed(self, sheet: Sheet, passages: Passages) -> _Change:
        kept = sheet.bundles()
        fits = (FORMAT, passages.embedder, passages.epoch)
        everything = passages.all()
        if (sheet.text("format"), sheet.text("embedder"), sheet.text("epoch")) != fits:
            held = bool(kept) or bool(len(everything))
            return _Change(self._into_bundles(passages, everything), afresh=held)
        bundles: dict[str, Codes] = {}
        members = np.concatenate([found for found, _ in kept.values()] or [everything[:0]])
        there = passages.are_there(members)
        known = np.zeros(int(everything.max()) + 1 if len(everything) else 0, np.bool_)
        known[members[there]] = True
        owners = np.repeat(np.arange(len(kept)), [len(found) for found, _ in kept.values()])
        gone_of = np.bincount(owners[~there], minlength=len(kept))
        for (name, (found, was_waiting)), gone in zip(kept.items(), gone_of.tolist(), strict=True):
            if gone or was_waiting:
                bundles[name] = found[passages.are_there(found)]
        for name, members in self._into_bundles(passages, everything[~known[everything]]).items():
            old = bundles.get(name, kept[name][0] if name in kept else members[:0])
            bundles[name] = np.concatenate([old, members])
        return _Change(bundles)

    def _into_bundles(self, passages: Passages, codes: Codes) -> dict[str, Codes]:
        talk = passages.are_of(codes, LOG_TYPES)
        bundles: dict[str, Codes] = {}
        days = passages.days(codes[talk])
        order = np.argsort(days, kind="stable")
        found, starts = np.unique(days[order], return_index=True)
        for day, members in zip(found.tolist(), np.split(codes[talk][order], starts[1:]), strict=False):
            bundles[day_bundle(day)] = members
        by_file: dict[str, list[int]] = {}
        for code, passage in passages.read(codes[~talk].tolist()).items():
            by_file.setdefault(bundle_of(passage), []).append(code)
        return bundles | {name: np.array(sorted(found), np.int64) for name, found in sorted(by_file.items())}

    def _add(self, sheet: Sheet, passages: Passages, bundles: dict[str, Codes]) -> None:
        """Put some bundles where they belong on the map as it is."""
        kept = sheet.layout()
        assert kept is not None
        basis, layout = kept
        gone = 0
        changed = 0
        for name, members in bundles.items():
            pieces, vectors, is_waiting = pieces_of(name, members, passages)
            before = sheet.drop_bundle(name)
            gone += max(before - len(pieces), 0)
            changed += max(before, len(pieces))
            low = basis.reduce(vectors) if len(pieces) else vectors
            anchors, spots = placing.place(low, [piece.key for piece in pieces], layout)
            sheet.keep_pieces(pieces, low, anchors, spots)
            sheet.keep_bundle(name, members, is_waiting=is_waiting)
        sheet.note(revision=sheet.number("revision") + 1, aged=sheet.number("aged") + changed)
        if gone:
            _drop_dead_words(sheet, passages, layout)

    def _draw(self, sheet: Sheet, passages: Passages, bundles: dict[str, Codes]) -> None:
        """Draw the whole map; whatever was on it stays near where it was."""
        had, old = sheet.anchors(), sheet.layout()
        pieces: list[Piece] = []
        rows: list[Vectors] = []
        waiting: dict[str, bool] = {}
        for at, (name, members) in enumerate(bundles.items()):
            self.progress = Progress(at, len(bundles))
            if self._stopping.is_set():
                raise Stopped
            found, vectors, waiting[name] = pieces_of(name, members, passages)
            pieces += found
            if found:
                rows.append(vectors.astype(np.float16))
        sheet.clear()
        revision = sheet.number("revision") + 1
        sheet.note(
            format=FORMAT, embedder=passages.embedder, epoch=passages.epoch, revision=revision, fitted=len(pieces)
        )
        for name, members in bundles.items():
            sheet.keep_bundle(name, members, is_waiting=waiting[name])
        if not pieces:
            sheet.note(aged=0, wide=0, low=0)
            return
        raw = np.concatenate(rows)
        every = -(-len(raw) // 3000)
        basis = placing.basis_of(raw[::every].astype(np.float32))
        low = np.concatenate([basis.reduce(part.astype(np.float32)) for part in np.array_split(raw, every)])
        before = None
        if old is not None:
            before = (np.array([had.get(piece.key, -1) for piece in pieces], np.int64), old[1].spots)
            if not (before[0] >= 0).any():
                before = None
        layout = placing.fit(low, before)
        anchors, spots = placing.place(low, [piece.key for piece in pieces], layout)
        if before is not None and old is not None:
            layout = _numbered_like(layout, anchors, old[1], before[0])
        sheet.keep_layout(basis, layout)
        sheet.keep_pieces(pieces, low, anchors, spots)
        self._name(sheet, passages, layout)

    def _name(self, sheet: Sheet, passages: Passages, layout: Layout) -> None:
        codes, anchors = sheet.members()
        fewest = 1 if len(codes) < _RARE_COUNTS else 3  # of many, what was said once names nothing
        terms, counts = naming.count_words(passages, Places(codes, anchors), fewest)
        for level, labels in zip(LEVELS, (layout.regions, layout.quarters), strict=True):
            summed = np.zeros((len(terms), int(labels.max()) + 1))
            for anchor in range(counts.shape[1]):
                summed[:, labels[anchor]] += counts[:, anchor]
            candidates = naming.distinctive(terms, summed, passages.speakers())
            sheet.keep_names(level, naming.name_places(passages, Places(codes, labels[anchors]), candidates))
        sheet.note(aged=0, revision=sheet.number("revision") + 1)

    def tidy(self) -> None:
        """Leave nothing of what was forgotten in the map that is kept, if there is one: for the night."""
        if self.file.is_there() and not self.catch_up(SMALL):
            self._start(self.redraw)


def files_stamp(paths: PersonaPaths) -> str:
    """Return what changes when a file comes or goes where every memory has a file of its own."""
    folders = (paths.episodic_memory, paths.entity_memory)
    return "/".join(str(folder.stat().st_mtime_ns) if folder.is_dir() else "" for folder in folders)


def _in_folders(paths: PersonaPaths) -> set[str]:
    """Return which of those files there are: what was deleted in an editor is gone before the index knows."""
    folders = (paths.episodic_memory, paths.entity_memory)
    return {f"{folder.name}/{file.name}" for folder in folders for file in entries(folder, {"file"})}


def _has_grown(sheet: Sheet) -> bool:
    count, fitted = sheet.count(), sheet.number("fitted")
    return count > _GROWTH * fitted + _ROOM or count < fitted / _GROWTH - _ROOM


def _has_aged(sheet: Sheet) -> bool:
    return sheet.number("aged") > max(_CHANGED, _CHANGED_SHARE * sheet.count())


def _drop_dead_words(sheet: Sheet, passages: Passages, layout: Layout) -> None:
    """Take out of names what nobody says any more at that place: it was forgotten."""
    codes, anchors = sheet.members()
    for level, labels in zip(LEVELS, (layout.regions, layout.quarters), strict=True):
        places = Places(codes, labels[anchors])
        for number, words in sheet.names()[level].items():
            for word in words:
                if not (places.of(passages.holding(word.term)) == number).any():
                    sheet.drop_word(level, number, word.term)


def _numbered_like(layout: Layout, anchors: Whole, before: Layout, had: Whole) -> Layout:
    """Give regions and quarters the numbers of those old ones whose memories they hold."""
    known = had >= 0
    labels = [
        _matched(new, new[anchors[known]], old[had[known]])
        for new, old in ((layout.regions, before.regions), (layout.quarters, before.quarters))
    ]
    return replace(layout, regions=labels[0], quarters=labels[1])


def _matched(labels: Whole, new: Whole, old: Whole) -> Whole:
    count = int(labels.max()) + 1
    pairs, votes = np.unique(np.stack([new, old], axis=1), axis=0, return_counts=True)
    given: dict[int, int] = {}
    for at in np.argsort(-votes, kind="stable"):
        mine, theirs = (int(one) for one in pairs[at])
        if mine not in given and theirs not in given.values() and theirs < count:
            given[mine] = theirs
    free = iter(sorted(set(range(count)) - set(given.values())))
    for mine in range(count):
        if mine not in given:
            given[mine] = next(free)
    return np.array([given[label] for label in labels.tolist()], np.int64)
