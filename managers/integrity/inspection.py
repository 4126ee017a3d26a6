"""Looking at a persona's files: changes nothing, not even what is derived."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Final

from managers.integrity import wording
from managers.integrity.trouble import Trouble, Words, words
from managers.memory.confidence import day_of
from managers.memory.entity_store import about_misnamed, misnamed_entities
from managers.memory.file_validation import flaws
from managers.memory.log.log_files import first_record
from managers.memory.log.lost import still_lost
from managers.memory.log.reader import LogReader
from managers.personas.file_recovery import is_text
from managers.recall.index.unread import odd_name
from managers.storage.copies import Proof, are_same, copies_in, orphans_in, share_content
from managers.storage.encodings import foreign_encoding
from managers.storage.errors import UnreadableError
from managers.storage.files import entries, open_binary, read_bytes, unread
from managers.storage.history.checking import check_history, noted_damage
from managers.storage.json_text import NotJsonError, load_json
from managers.storage.paths import PersonaPaths
from managers.storage.paths import is_text as is_text_name
from managers.storage.printable import shown
from managers.storage.tracking import tracked_files

_FOLDERS: Final = ("", "memory", "log_archives", "episodic_memory", "entity_memory", "knowledge", "log_import_source")
_BROKEN = re.compile(r"(?P<name>.+)\.broken-\d{8}-\d{6}(?:-\d+)?")
_DAY = re.compile(r"\d{4}-\d\d-\d\d\.json")
_EPISODES_ASKED: Final = 60
"""So many episodes of days without a word are opened to see whether there was one once."""
_MOST_NAMED: Final = 20
"""So many files that cannot be opened are named; of a folder that came from another account it is all of them."""


def look(paths: PersonaPaths, log: LogReader) -> list[Trouble]:
    """Return what a look at the folders and the log's own indexes tells; fast enough for a persona's waking."""
    names = {folder: _files(paths.folder / folder) for folder in _FOLDERS}
    lost = partial(_lost, paths, log, names["episodic_memory"], {}, _EPISODES_ASKED)
    history = partial(_noted_of_history, paths)
    return _gathered(paths, names, partial(_of_the_log, log), lost, history)


def examine(paths: PersonaPaths, log: LogReader, remembered: Mapping[str, str]) -> list[Trouble]:
    """Return all that can be found: every file is opened, every memory read, every part of the history."""
    names = {folder: _files(paths.folder / folder) for folder in _FOLDERS}
    read = (
        partial(_unreadable, paths),
        partial(_of_the_log, log),
        partial(_no_memories, paths),
        partial(_misnamed, names),
    )
    lost = partial(_lost, paths, log, names["episodic_memory"], remembered)
    return _gathered(paths, names, *read, lost, partial(_history, paths))


def _gathered(
    paths: PersonaPaths, names: Mapping[str, list[str]], *looks: Callable[[], Iterable[Trouble]]
) -> list[Trouble]:
    """Return what several looks find, copies first; a file that cannot be read is named, and ends only the look that met it."""
    found: list[Trouble] = []
    every: list[Callable[[], Iterable[Trouble]]] = [partial(_copies, paths, names), partial(_set_aside, paths, names)]
    for one in [*every, *looks]:
        try:
            found += one()
        except UnreadableError as error:
            found.append(wording.unreadable(paths, error))
        except OSError as error:
            found.append(wording.unreadable(paths, unread(error, Path(error.filename or paths.folder))))
    return list(dict.fromkeys(found))


def _files(folder: Path) -> list[str]:
    try:
        return sorted(entry.name for entry in entries(folder, {"file"}))
    except UnreadableError:  # nobody may look: whoever reads it says so
        return []


def _within(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


# Copies, and what was set aside


def _copies(paths: PersonaPaths, names: Mapping[str, list[str]]) -> Iterator[Trouble]:
    for folder, there in names.items():
        if not there:
            continue
        place = paths.folder / folder
        proof: Proof = are_same if folder == "knowledge" else _second_log if not folder else share_content
        for name, copy in sorted(copies_in(place, there, proof).items()):
            if name in there:
                yield wording.copy(_within(folder, name), _within(folder, copy.original.name), copy.by)
        for orphan in orphans_in(place, there):
            if orphan.path.name in there:
                yield wording.orphan(
                    _within(folder, orphan.path.name), _within(folder, orphan.original.name), orphan.by
                )


def _second_log(copy: Path, original: Path) -> bool:
    """Whether a file is a copy; beside `log.txt` a log of a like name is one, also where they share no message."""
    return share_content(copy, original) or (original.name == "log.txt" and b"\n## " in _head(copy))


def _head(path: Path) -> bytes:
    try:
        return b"\n" + (read_bytes(path) or b"")[:4096]
    except UnreadableError:
        return b""


def _set_aside(paths: PersonaPaths, names: Mapping[str, list[str]]) -> Iterator[Trouble]:
    for folder, there in names.items():
        for name in there:
            match = _BROKEN.fullmatch(name)
            if match is not None:
                yield wording.set_aside(_within(folder, name), _within(folder, match["name"]))
    for name in sorted(entry.name for entry in entries(paths.folder, {"folder"})):
        if name.startswith(".history.broken-"):
            said = words("said.history-set-aside", name=name)
            yield Trouble("set-aside", name, said, words("remedy.aside"))


# The log


def _of_the_log(log: LogReader) -> Iterator[Trouble]:
    for path, notice in log.foreign_files():
        name = path.relative_to(log.paths.folder).as_posix()
        yield Trouble("other-encoding", name, Words(notice.ja, notice.en), words("remedy.convert"))
    for notice in log.check():
        yield Trouble("damaged", "log.txt", Words(notice.ja, notice.en))


def _lost(
    paths: PersonaPaths,
    log: LogReader,
    episodes: list[str],
    remembered: Mapping[str, str],
    asked: int | None = None,
) -> Iterator[Trouble]:
    """Tell of messages that were known and are gone, month by month; so many episodes are `asked` (None: all)."""
    if not log.is_all_utf_8():
        return
    noted = still_lost(log)
    messages = dict(noted.messages)
    if remembered:
        own = {one: day for one, day in remembered.items() if not one.startswith("x-")}
        back = log.known(own.keys())
        messages |= {one: day for one, day in own.items() if one not in back and day not in noted.accepted}
    days = {day for day in messages.values() if day}
    spoken = log.spoken_days()
    named = (name.removesuffix(".json") for name in episodes if _DAY.fullmatch(name))
    silent = [name for name in named if (day := day_of(name)) is None or day.toordinal() not in spoken]
    days |= {day for day in silent[:asked] if day not in noted.accepted and _was_spoken(paths, day)}
    if not days and not messages:
        return
    first = None
    with suppress(OSError), open_binary(paths.log) as file:
        first = first_record(file)
    recent = f"{first.message.time:%Y-%m-%d}" if first else "9"
    months = {day: "" if day >= recent else day[:7] for day in days | {*messages.values()}}  # no archive held those
    counted = Counter(months[day] for day in messages.values())
    for month in sorted({*months.values()}):
        of_month = sorted(day for day in days if months[day] == month)
        yield wording.lost(paths, month, of_month, counted[month])


def _was_spoken(paths: PersonaPaths, day: str) -> bool:
    """Whether a day's episode was made of words that were said."""
    try:
        value = load_json(read_bytes(paths.episodic_memory / f"{day}.json") or b"{}")
    except (NotJsonError, UnreadableError):
        return False
    return isinstance(value, dict) and bool(value.get("evidence"))


# Memories and history


def _unreadable(paths: PersonaPaths) -> Iterator[Trouble]:
    """Name the files and folders that cannot be opened, a few of very many one by one."""
    denied = _denied(paths.folder, but=paths.rag_index)
    for error in islice(denied, _MOST_NAMED):
        yield wording.unreadable(paths, error)
    if more := sum(1 for _ in denied):
        yield Trouble("damaged", "", words("said.more-unreadable", count=more))


def _denied(folder: Path, but: Path) -> Iterator[UnreadableError]:
    """Yield what cannot be opened; of the indexes only folders: to close a file lets go of SQLite's locks on it."""
    try:
        inside = sorted(entries(folder), key=lambda entry: entry.name)
    except UnreadableError as error:
        yield error
        return
    for entry in inside:
        path = folder / entry.name
        try:
            if entry.is_dir(follow_symlinks=False):
                yield from _denied(path, but)
            elif not path.is_relative_to(but):
                open_binary(path).close()
        except UnreadableError as error:
            yield error


def _no_memories(paths: PersonaPaths) -> Iterator[Trouble]:
    for name, entry in sorted(tracked_files(paths.folder), key=lambda one: one[0]):
        try:
            data = read_bytes(Path(entry.path)) or b""
        except UnreadableError:  # named already
            continue
        encoding = foreign_encoding(data) if not is_text(data) else None
        if encoding is not None:
            yield wording.other_encoding(name, encoding)
        elif not is_text(data) or is_no_json(name, data):
            yield Trouble("broken", name, words("said.broken", name=name), words("remedy.last-good"))


def _misnamed(names: Mapping[str, list[str]]) -> Iterator[Trouble]:
    for name in misnamed_entities(names["entity_memory"]):
        yield wording.misnamed(about_misnamed([name]), f"entity_memory/{shown(name)}")
    for folder, there in names.items():
        for name in there:
            if folder != "entity_memory" and not is_text_name(name):
                yield wording.misnamed(odd_name(_within(folder, name)), _within(folder, shown(name)))


def is_no_json(name: str, data: bytes) -> bool:
    """Whether a list or record cannot be understood at all; single entries that are odd stay where they are."""
    if not name.endswith(".json") or not data.strip():
        return False
    return flaws(name, data) > len(data)


def _noted_of_history(paths: PersonaPaths) -> Iterator[Trouble]:
    noted = noted_damage(paths.history)
    if noted is not None:
        parts, entries, is_whole = noted
        yield wording.history(parts, entries, is_whole=is_whole)


def _history(paths: PersonaPaths) -> Iterator[Trouble]:
    check = check_history(paths.history)
    if not check.is_sound:
        yield wording.history(len(check.damaged), len(check.entries), is_whole=check.is_whole)
