"""Which entities belong together: those that are spoken of in the same message, or on the same day's page.

Where an entity is mentioned is read from the index's word lists, with the messages that its facts rest on.
It is kept with the map; what is new is looked through for names, nothing else is read again.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from managers.memory_map.atlas import files_stamp
from managers.memory_map.counts import Tie, TieCounts
from managers.memory_map.drawing import Drawing, mended
from managers.memory_map.forces import Seats, settle
from managers.memory_map.passages import Codes, Passages
from managers.memory_map.sheet import NETWORK, Sheet, SheetFile
from managers.recall.engine import Recall
from managers.recall.hits import LOG_TYPES
from managers.recall.index.memory_index import Passage
from managers.recall.index.terms import terms
from managers.storage.files import digest, entries
from managers.storage.paths import PersonaPaths

NODES = 60
BESIDE = 24
"""So many entities are shown overall, and so many around one."""

_EDGES_A_NODE = 4
_FEW = 400
"""Up to so many new passages are looked through for names; with more the word lists are quicker."""
_TYING = (*LOG_TYPES, "episodic_memory")
_MOST_AMONG = 600
FORMAT = "1"
"""Raised when names are looked for in another way: what was found before is then looked for again."""
MOST_TIES = 20_000
"""More than this no table needs."""


@dataclass(frozen=True, slots=True)
class Node:
    """An entity: in how many messages and days it comes up, and where it sits (0 to 1 both ways)."""

    name: str
    mentions: int
    x: float = 0.5
    y: float = 0.5


@dataclass(frozen=True, slots=True)
class Network:
    """What is drawn: some entities and the strongest ties between them; `total` is how many entities there are."""

    nodes: list[Node] = field(default_factory=list)
    ties: list[Tie] = field(default_factory=list)
    total: int = 0
    centre: str = ""


class EntityNetwork(Drawing):
    """The ties between one persona's entities."""

    def __init__(self, paths: PersonaPaths, recall: Recall, *, only_look: bool = False) -> None:
        """Remember where things are; nothing is opened yet. With `only_look`, nothing is kept."""
        file = SheetFile(paths.rag_index / "entity_network.sqlite", NETWORK, only_look=only_look)
        super().__init__(paths, recall, file)
        self._seen: tuple[str, TieCounts] | None

    @mended
    def look(self, centre: str = "") -> Network | None:
        """Return the network as `around` does; None while all names are looked for the first time."""
        if self.is_drawing:
            return None
        passages = Passages(self._recall.indexes)
        with self.file.opened() as sheet:
            is_known = sheet.text("mentioned") == _state(passages)
        if not is_known and len(_card_codes(passages)) > _FEW:
            self._start(self._count)
            return None
        return self._around(centre)

    @mended
    def _count(self) -> TieCounts:
        return self._counted()

    def tidy(self) -> None:
        """Leave nothing of what was forgotten in what is kept, if anything is: for the night."""
        if self.file.is_there():
            self._start(self._count)

    @mended
    def around(self, centre: str = "") -> Network:
        """Return the strongest ties of all, or those around one entity."""
        return self._around(centre)

    def _around(self, centre: str) -> Network:
        counts = self._counted()
        if centre not in counts.mentions:
            centre = ""
        names = [centre, *counts.beside(centre, BESIDE)] if centre else counts.strongest(NODES)
        shown = _edges(counts.among(names, _MOST_AMONG), centre)
        seats = self._seats(names, shown, centre)
        nodes = [Node(name, counts.mentions[name], *seats[name]) for name in names]
        return Network(nodes, shown, len(counts.names), centre)

    def ties_of(self, name: str) -> list[Tie]:
        """Return the strongest ties of an entity, the strongest first."""
        return self._count().of(name, NODES)

    def all_ties(self) -> list[Tie]:
        """Return all ties, the strongest first; of very many those that say something."""
        return self._count().all(MOST_TIES)

    @mended
    def passages_between(self, one: str, other: str) -> list[Passage]:
        """Return the messages and days that name both, the newest first."""
        self._counted()
        passages = Passages(self._recall.indexes)
        with self.file.opened() as sheet:
            held = _mentions(sheet)
        if one not in held or other not in held:
            return []
        both = np.intersect1d(held[one][1], held[other][1])
        found = [
            passage for passage in passages.read(both.tolist()).values() if (self._paths.folder / passage.path).exists()
        ]
        return sorted(found, key=lambda passage: (passage.time is not None, passage.time, passage.number), reverse=True)

    def _counted(self) -> TieCounts:
        """Return how often each entity is mentioned, and each two together."""
        passages = Passages(self._recall.indexes)
        marks = f"{passages.marks()} {files_stamp(self._paths)}"
        if (seen := self._seen) is not None and seen[0] == marks and self.file.is_there():
            return seen[1]
        held = self._follow(passages)
        folder = self._paths.entity_memory
        there = {entry.name for entry in entries(folder, {"file"})}
        held = {name: codes for name, codes in held.items() if f"{name}.md" in there}
        counts = TieCounts(held, _name_words)
        self._seen = (marks, counts)
        return counts

    def _follow(self, passages: Passages) -> dict[str, Codes]:
        """Bring the mentions up to date; return them."""
        everything = passages.all()
        cards = _cards(passages)
        tying = everything[passages.are_of(everything, _TYING)]
        with self.file.opened() as sheet:
            kept = _mentions(sheet) if sheet.text("mentioned") == _state(passages) else {}
            seen = np.array([sheet.number("seen_static"), sheet.number("seen_current")])
        fresh = tying[tying // 2 >= seen[tying % 2]] if kept else tying[:0]
        stale = {name for name, card in cards.items() if name not in kept or kept[name][0] != card.stamp}
        if len(fresh) > _FEW:
            stale, fresh = set(cards), fresh[:0]
        is_tying = set(tying.tolist()) if stale else set()
        told = _named(cards, stale, passages, fresh)
        evidence = passages.of_messages({one for name in stale for one in cards[name].evidence}) if stale else {}
        touched = _with_gone(kept, passages) | told.keys()
        held: dict[str, Codes] = {}
        for name, card in cards.items():
            if name in stale:
                said = {code for one in card.evidence for code in evidence.get(one, ())}
                found = {code for words in card.words for code in _naming(words, passages)}
                held[name] = np.array(sorted((said | found) & is_tying), np.int64)
            elif name in touched:
                before = kept[name][1]
                held[name] = np.union1d(before[passages.are_there(before)], np.array(told.get(name, []), np.int64))
            else:
                held[name] = kept[name][1]
        rewritten = stale | touched
        changed = [(name, cards[name].stamp, held[name].tobytes()) for name in cards if name in rewritten]
        gone = [(name,) for name in kept.keys() - cards.keys()]
        if changed or gone or len(fresh) or not kept:
            with self.file.opened(to_write=True) as sheet:
                if not kept:
                    sheet.connection.execute("DELETE FROM mentions")
                for table in ("mentions", "seats"):
                    sheet.connection.executemany(f"DELETE FROM {table} WHERE entity = ?", gone)  # noqa: S608  # our own
                sheet.connection.executemany("INSERT OR REPLACE INTO mentions VALUES (?, ?, ?)", changed)
                newest = [int((everything[everything % 2 == at] // 2).max(initial=-1)) + 1 for at in (0, 1)]
                sheet.note(mentioned=_state(passages), seen_static=newest[0], seen_current=newest[1])
        return held

    def _seats(self, names: Sequence[str], ties: Sequence[Tie], centre: str) -> Mapping[str, tuple[float, float]]:
        """Return where the entities sit; the picture of all begins where it ended the last time."""
        with self.file.opened() as sheet:
            before: Seats = {name: (x, y) for name, x, y in sheet.connection.execute("SELECT entity, x, y FROM seats")}
            company_before = sheet.text("company")
        pulls = [(tie.one, tie.other, tie.count) for tie in ties]
        company = digest(repr((names, pulls)))
        if not centre and company_before == company and before.keys() >= set(names):
            return before
        seats = settle(names, pulls, before, centre)
        if not centre:
            with self.file.opened(to_write=True) as sheet:
                sheet.connection.executemany(
                    "INSERT OR REPLACE INTO seats VALUES (?, ?, ?)", [(name, *seats[name]) for name in names]
                )
                sheet.note(company=company)
        return seats


def _state(passages: Passages) -> str:
    """Return which index, read in which way, the kept mentions belong to."""
    return f"{FORMAT} {passages.epoch}"


@dataclass(frozen=True, slots=True)
class _Card:
    """What the index knows of an entity: its names, and its facts' messages."""

    names: tuple[str, ...]
    evidence: tuple[str, ...]
    stamp: str

    @property
    def words(self) -> list[tuple[str, ...]]:
        """The names as words: of thousands of entities only a few are asked for them."""
        return sorted({words for name in self.names if (words := _name_words(name))})


def _cards(passages: Passages) -> dict[str, _Card]:
    codes = _card_codes(passages)
    found: dict[str, _Card] = {}
    for passage in passages.read(codes.tolist()).values():
        name = passage.path.rpartition("/")[2].removesuffix(".md")
        if name not in found:
            stamp = digest("\n".join([passage.heading, *passage.message_ids]))[:16]
            found[name] = _Card(tuple(passage.heading.split(" / ")), passage.message_ids, stamp)
    return found


@lru_cache(maxsize=20_000)
def _name_words(name: str) -> tuple[str, ...]:
    """Return the words of a name as the index lists them; names stay, and there are thousands."""
    return tuple(terms(name))


def _naming(words: Sequence[str], passages: Passages) -> list[int]:
    """Return the passages that hold a name; one of several words must stand there in that order, side by side."""
    found: list[int] = passages.holding_all(words).tolist()
    if len(words) == 1:
        return found
    return [code for code, passage in passages.read(found).items() if _stands_in(words, terms(passage.text))]


def _stands_in(words: Sequence[str], said: Sequence[str]) -> bool:
    return any(tuple(said[at : at + len(words)]) == tuple(words) for at in range(len(said) - len(words) + 1))


def _card_codes(passages: Passages) -> Codes:
    everything = passages.all()
    return everything[passages.are_of(everything, ("entity_memory",))]


def _mentions(sheet: Sheet) -> dict[str, tuple[str, Codes]]:
    rows = sheet.connection.execute("SELECT entity, stamp, codes FROM mentions")
    return {name: (stamp, np.frombuffer(codes, np.int64)) for name, stamp, codes in rows}


def _with_gone(kept: Mapping[str, tuple[str, Codes]], passages: Passages) -> set[str]:
    """Return the entities of whose passages any is gone."""
    names = list(kept)
    sizes = [len(codes) for _, codes in kept.values()]
    codes = np.concatenate([*(codes for _, codes in kept.values()), np.zeros(0, np.int64)])
    gone = np.bincount(np.repeat(np.arange(len(names)), sizes)[~passages.are_there(codes)], minlength=len(names))
    return {names[at] for at in np.flatnonzero(gone).tolist()}


def _named(cards: Mapping[str, _Card], stale: Iterable[str], passages: Passages, fresh: Codes) -> dict[str, list[int]]:
    """Return the new passages that name each of the known entities."""
    if not len(fresh):
        return {}
    left_out = set(stale)
    by_word: dict[str, list[tuple[str, tuple[str, ...]]]] = defaultdict(list)
    for name, card in cards.items():
        for words in card.words:
            if name not in left_out:
                by_word[words[0]].append((name, words))
    found: dict[str, list[int]] = defaultdict(list)
    for code, passage in passages.read(fresh.tolist()).items():
        said = terms(passage.text)
        names = {name for word in set(said) for name, words in by_word.get(word, ()) if _stands_in(words, said)}
        for name in sorted(names):
            found[name].append(code)
    return found


def _edges(ties: Sequence[Tie], centre: str) -> list[Tie]:
    """Return the ties that are drawn: of each entity the strongest few, and all of the one in the middle."""
    drawn: Counter[str] = Counter()
    found = []
    for tie in ties:
        if (
            centre in (tie.one, tie.other)
            or min(drawn[tie.one], drawn[tie.other]) < _EDGES_A_NODE // 2
            or (max(drawn[tie.one], drawn[tie.other]) < _EDGES_A_NODE)
        ):
            drawn.update((tie.one, tie.other))
            found.append(tie)
    return found
