"""What a person is told of each kind of trouble, and what is promised for a yes: `assets/notices/integrity.toml`."""

import os
from collections.abc import Sequence
from pathlib import Path

from managers.integrity.trouble import Trouble, Words, words
from managers.storage.encodings import NAMES
from managers.storage.errors import Notice, UnreadableError
from managers.storage.paths import PersonaPaths

_LOGS = ("log.txt", "log_archives/")


def copy(name: str, original: str, by: str) -> Trouble:
    """A second version of a file that a sync service or an editor left."""
    remedy = words("remedy.take-in" if original.startswith(_LOGS) else "remedy.aside")
    return Trouble("copy", name, words("said.copy", name=name, original=original, by=by), remedy, original)


def orphan(name: str, original: str, by: str) -> Trouble:
    """A copy whose original is not there: all that is left of it."""
    said = words("said.orphan", name=name, original=original, by=by)
    return Trouble("orphan", name, said, words("remedy.name", original=original), original)


def set_aside(name: str, original: str) -> Trouble:
    """A file that could not be understood, and was put aside then."""
    said = words("said.set-aside", name=name, original=original)
    return Trouble("set-aside", name, said, words("remedy.give-back"), original)


def other_encoding(name: str, encoding: str) -> Trouble:
    """A memory file that another program saved in another encoding."""
    said = words("said.other-encoding", name=name, called=NAMES.get(encoding, encoding))
    return Trouble("other-encoding", name, said, words("remedy.convert"))


def misnamed(notice: Notice, name: str) -> Trouble:
    """A file that is not used because of its name."""
    return Trouble("misnamed", name, Words(notice.ja, notice.en))


def unreadable(paths: PersonaPaths, error: UnreadableError) -> Trouble:
    """A file or folder that cannot be opened."""
    name = os.path.relpath(str(error.facts["path"]), paths.folder)
    return Trouble("damaged", Path(name).as_posix(), Words(error.sentence("ja"), error.sentence("en")))


def lost(paths: PersonaPaths, month: str, days: Sequence[str], count: int) -> Trouble:
    """Messages that were known and are in no file of the log any more."""
    name = f"log_archives/{month}.txt" if month else "log.txt"
    archive = paths.folder / name
    waits = archive.with_name(f".{archive.name}.icloud").exists()
    between = words("lost.between", first=days[0], last=days[-1]) if len(days) > 1 else None
    said = words(
        "said.lost",
        when=between._asdict() if between else "".join(days) or month,
        how=words("lost.count" if count else "lost.some", count=count)._asdict(),
        way=words("lost.in-cloud" if waits else "lost.gone", name=name)._asdict(),
    )
    return Trouble("lost", name, said, None, " ".join(days))


def history(damaged: int, entries: int, *, is_whole: bool) -> Trouble:
    """Parts of the history that cannot be read."""
    end = "" if is_whole else words("lost.way-back-ends")._asdict()
    said = words("said.history", damaged=damaged, entries=entries, end=end)
    return Trouble("history", ".history", said, words("remedy.heal"))
