"""A history whose objects unfold to far more than their size lets expect: they are refused, and nothing else is."""

import hashlib
import tracemalloc
import zlib
from binascii import crc32
from collections.abc import Callable
from pathlib import Path

import pytest
from dulwich.objects import Blob, ObjectID
from dulwich.pack import OFS_DELTA, write_pack_index_v2

from managers.storage.errors import HistoryDamagedError
from managers.storage.files import MAX_BYTES
from managers.storage.history import History
from managers.storage.history.checking import check_history
from managers.storage.history.objects import BROKEN, ObjectDatabase
from managers.storage.paths import PersonaPaths
from tests.fakes import HandClock
from tests.storage.histories import write

HUGE = 4 * MAX_BYTES
BOMB = ObjectID(b"b0" * 20)
_PIECE = bytes(1_000_000)


def deflated(head: bytes, size: int) -> bytes:
    packing = zlib.compressobj(1)
    return b"".join(
        [packing.compress(head), *(packing.compress(_PIECE) for _ in range(size // len(_PIECE))), packing.flush()]
    )


def says_what_it_is(folder: Path) -> None:
    loose(folder, deflated(b"blob %d\0" % HUGE, HUGE))


def says_too_little(folder: Path) -> None:
    loose(folder, deflated(b"blob 10\0", HUGE))


def is_an_endless_listing(folder: Path) -> None:
    size = MAX_BYTES // 2
    loose(folder, deflated(b"tree %d\0" % size, size))


def says_nothing(folder: Path) -> None:
    loose(folder, deflated(b"", HUGE))


def is_packed(folder: Path) -> None:
    packed(folder, head(Blob.type_num, HUGE) + deflated(b"", HUGE))


def is_made_of_differences(folder: Path) -> None:
    size = MAX_BYTES // 2
    copies = difference(size, HUGE, [(0, 0xFFFFFF)] * (HUGE // 0xFFFFFF))
    packed(folder, head(Blob.type_num, size) + deflated(b"", size), copies)


def is_a_long_chain(folder: Path) -> None:
    size = MAX_BYTES // 8
    same = difference(size, size, [(0, size)])
    packed(folder, head(Blob.type_num, size) + deflated(b"", size), *[same] * 200)


def is_based_on_itself(folder: Path) -> None:
    packed(folder, difference(1, 1, [(0, 1)], back=0))


def loose(folder: Path, data: bytes) -> None:
    path = folder / "objects" / BOMB.decode()[:2] / BOMB.decode()[2:]
    path.parent.mkdir()
    path.write_bytes(data)


def packed(folder: Path, *objects: bytes | Callable[[int], bytes]) -> None:
    """Write a pack; the last of the objects is the bomb."""
    data, entries, before = b"PACK" + (2).to_bytes(4) + len(objects).to_bytes(4), [], 0
    for number, item in enumerate(objects):
        offset = len(data)
        content = item if isinstance(item, bytes) else item(offset - before)
        is_last = number == len(objects) - 1
        name = bytes.fromhex(BOMB.decode()) if is_last else hashlib.sha1(b"%d" % number).digest()
        entries.append((name, offset, crc32(content)))
        data, before = data + content, offset
    checksum = hashlib.sha1(data).digest()
    pack = folder / "objects" / "pack" / f"pack-{checksum.hex()}.pack"
    pack.write_bytes(data + checksum)
    with pack.with_suffix(".idx").open("wb") as index:
        write_pack_index_v2(index, sorted(entries), checksum)


def head(kind: int, size: int) -> bytes:
    rest = size >> 4
    return bytes([kind << 4 | size & 15 | (128 if rest else 0)]) + (number(rest) if rest else b"")


def number(value: int) -> bytes:
    digits = [value & 127]
    while value := value >> 7:
        digits.append(value & 127)
    return bytes([*(digit | 128 for digit in digits[:-1]), digits[-1]])


def difference(
    base: int, made: int, copies: list[tuple[int, int]], *, back: int | None = None
) -> Callable[[int], bytes]:
    """Return what makes a difference to the object before it, of which it copies pieces (start, length)."""
    steps = b"".join(bytes([0xFF]) + start.to_bytes(4, "little") + size.to_bytes(3, "little") for start, size in copies)
    delta = number(base) + number(made) + steps

    def at(distance: int) -> bytes:
        left = distance if back is None else back
        digits = [left & 127]
        while left := left >> 7:
            left -= 1
            digits.insert(0, left & 127 | 128)
        return head(OFS_DELTA, len(delta)) + bytes(digits) + zlib.compress(delta)

    return at


Bomb = Callable[[Path], None]
bombs = pytest.mark.parametrize(
    "bomb",
    [
        says_what_it_is,
        says_too_little,
        says_nothing,
        is_an_endless_listing,
        is_packed,
        is_made_of_differences,
        is_a_long_chain,
        is_based_on_itself,
    ],
)


def most_memory(work: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@bombs
def test_what_unfolds_without_end_is_refused_before_it_does(history: History, paths: PersonaPaths, bomb: Bomb) -> None:
    write(history, paths.notepad, "x")
    history.close()
    bomb(paths.history)
    database = ObjectDatabase(paths.history)

    def ask() -> None:
        with pytest.raises(BROKEN):
            database.store[BOMB]

    assert most_memory(ask) < MAX_BYTES
    database.close()


def test_a_list_of_packed_objects_is_not_read_past_its_limit(history: History, paths: PersonaPaths) -> None:
    history.close()
    (index,) = (paths.history / "objects" / "pack").glob("*.idx")
    index.chmod(0o600)
    with index.open("r+b") as file:
        file.truncate(HUGE)
    assert most_memory(lambda: check_history(paths.history)) < MAX_BYTES
    assert not check_history(paths.history).is_whole


def test_it_is_found_damaged(history: History, paths: PersonaPaths) -> None:
    write(history, paths.notepad, "x")
    history.close()
    says_too_little(paths.history)
    assert check_history(paths.history).damaged == {BOMB}


@bombs
def test_a_history_that_begins_with_it_is_kept_aside(
    history: History, paths: PersonaPaths, clock: HandClock, bomb: Bomb
) -> None:
    write(history, paths.notepad, "一")
    history.close()
    bomb(paths.history)
    (paths.history / "refs" / "heads" / "main").write_bytes(BOMB + b"\n")
    fresh = History(paths, clock)
    assert fresh.entries() == []
    assert [notice.code for notice in fresh.notices] == ["history-broken"]
    write(fresh, paths.notepad, "二")


def test_what_is_as_large_as_a_file_may_be_is_kept(history: History, paths: PersonaPaths) -> None:
    entry = write(history, paths.notepad, "x" * (MAX_BYTES - 1))
    write(history, paths.notepad, "y")
    history.undo(history.entries(1)[0].id, author="user")
    assert paths.notepad.stat().st_size == MAX_BYTES - 1
    assert history.entries(2)[1].kind == "change"
    history.maintain(force=True)
    assert len(history.diff(entry)[0].after or b"") == MAX_BYTES - 1


def test_an_older_one_is_named_and_the_rest_lives_on(history: History, paths: PersonaPaths, clock: HandClock) -> None:
    first = write(history, paths.notepad, "一")
    second = write(history, paths.notepad, "二")
    commit = paths.history / "objects" / first[:2] / first[2:]
    commit.write_bytes(deflated(b"commit %d\0" % HUGE, HUGE))
    fresh = History(paths, clock)
    assert [entry.id for entry in fresh.entries()] == [second]
    with pytest.raises(HistoryDamagedError):
        fresh.undo(second, author="user")
