"""Copies that sync services leave in the home folder itself: of the settings, and of a persona's whole folder."""

from collections.abc import Callable
from typing import Final

from managers.integrity.trouble import Trouble, Words, words
from managers.memory.log import ConversationLog
from managers.memory.log.log_files import archive_parts
from managers.personas import trash
from managers.personas.folders import arranging, copied_folders
from managers.storage.aside import put_aside
from managers.storage.clock import Clock
from managers.storage.copies import copies_in
from managers.storage.files import entries
from managers.storage.opening import is_file, is_folder
from managers.storage.paths import Home, PersonaPaths

_OWN: Final = ("settings.toml", "secrets.toml")


def look_at_home(home: Home) -> list[Trouble]:
    """Return the copies that lie in the home folder, and those of personas' folders; changes nothing."""
    names, found = [entry.name for entry in entries(home.folder, {"file"})], []
    for name, copy in sorted(copies_in(home.folder, names).items()):
        if (original := copy.original.name) in _OWN:
            said = words("said.home-copy", name=name, original=original, by=copy.by)
            found.append(Trouble("copy", name, said, words("remedy.aside"), original))
    for copy in copied_folders(home.characters):
        path, original = copy.path.relative_to(home.folder), copy.original.name
        said = words("said.folder-copy", name=path.name, original=original, by=copy.by)
        found.append(
            Trouble("copy", path.as_posix(), said, words("remedy.take-in-folder", original=original), original)
        )
    return found


def mend_home(home: Home, clock: Clock, trouble: Trouble, open_log: Callable[[str], ConversationLog]) -> Words:
    """Join or put aside one of them.

    Raises:
        UtataneError: it stays as it was, and can be tried again.
    """
    path = home.folder / trouble.name
    if not is_folder(path):
        kept = put_aside(home.folder, path, clock.now()).relative_to(home.folder).as_posix()
        return words("done.aside", name=trouble.name, kept=kept)
    taken = _join(PersonaPaths(path), open_log(trouble.original))
    with arranging(home):
        thrown = trash.throw_away(path, home.trash, clock.now())
    return words("done.folder-copy", name=path.name, taken=taken, original=trouble.original, thrown=thrown.id)


def _join(copy: PersonaPaths, log: ConversationLog) -> int:
    """Take in what a copied folder's log says and the persona's own does not."""
    taken = 0
    for path in [*(part.path for part in archive_parts(copy)), *([copy.log] if is_file(copy.log) else [])]:
        same = log.paths.log_archives / path.name
        taken += log.merge(path, same if path != copy.log and is_file(same) else None).added
    return taken
