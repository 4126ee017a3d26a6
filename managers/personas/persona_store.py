"""The personas of one home folder: list, make, rename, copy, delete, restore, and change who they are."""

import logging
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from random import Random

from managers.personas import persona_file, trash
from managers.personas.avatars import find_avatar, prepare_avatar
from managers.personas.door import Door
from managers.personas.errors import BrokenPersonaFileError, PersonaExistsError, ShrinkRefusedError
from managers.personas.file_recovery import mend
from managers.personas.folders import (
    arranging,
    building,
    copy_durably,
    find_folder,
    free_name,
    name_key,
    remove_unfinished,
)
from managers.personas.persona import Persona, read_persona
from managers.personas.samples import copy_samples
from managers.personas.sensitive_settings import wishes_of
from managers.personas.trash import Trashed
from managers.storage.clock import Clock
from managers.storage.errors import ExternallyChangedError, Lang, Notice, UnreadableError, UtataneError
from managers.storage.files import dump_json, read_bytes, set_aside, write_atomic
from managers.storage.history import History
from managers.storage.journal import settle, settle_to_read
from managers.storage.locks import writing
from managers.storage.paths import CHECKOUT, Home, PersonaPaths, safe_name
from managers.storage.settings import check
from managers.storage.spelling import spelling_of
from managers.usage.ledger import Ledger

logger = logging.getLogger(__name__)

_NOT_COPIED = frozenset({".lock", "rag_index", ".persona-id"})
"""Left out of a copy: the lock, the indexes, which are built anew, and what the original is known by."""


class PersonaStore:
    """All personas of a home folder. Safe to use from several threads and processes."""

    def __init__(self, home: Home, clock: Clock, rng: Random, *, only_look: bool = False) -> None:
        """Remember where the personas live; nothing is read yet. With `only_look`, nothing is written to read them."""
        self.home = home
        self.only_look = only_look
        self._clock = clock
        self._rng = rng
        self.door = Door(home, clock)
        self.before_migration: Callable[[], object] = lambda: None  # keeps all as it is before a file's format changes

    # Looking

    def list_names(self) -> list[str]:
        """Return the names of all personas, in order; guests are none yet."""
        return [persona_file.normal(paths.name) for paths, _ in self.door.residents()]

    def list(self) -> list[Persona]:
        """Return all personas, in order of their names; broken ones with their notices."""
        return [self.door.read(paths, admission) for paths, admission in self.door.residents()]

    def get(self, name: str) -> Persona:
        """Return one persona as it stands in its folder now.

        Raises:
            PersonaNotFoundError, GuestError, UnsafeNameError, BusyError
            UnreadableError: nobody can tell whether it was let in.
        """
        paths, admission = self.door.resident(name)
        unfinished = None if self.only_look else settle_to_read(paths)
        persona = self.door.read(paths, admission)
        return replace(persona, notices=(*persona.notices, unfinished)) if unfinished else persona

    def free_name(self, name: str) -> str:
        """Return a name that is free: the given one, or with a number."""
        return free_name(safe_name(name), self.door.all_names())

    def usable_name(self, name: str, *, instead_of: str | None = None) -> str:
        """Return a name as that of a persona's folder.

        Args:
            name: as it was typed.
            instead_of: who would have it; their own name is not taken for them.

        Raises:
            NoNameError, UnsafeNameError, PersonaExistsError
        """
        wanted = safe_name(name)
        taken = {name_key(other) for other in self.door.all_names()} - ({name_key(instead_of)} if instead_of else set())
        if name_key(wanted) in taken:
            raise PersonaExistsError(name=wanted)
        return wanted

    # Coming and going

    def install_samples(
        self, source: Path = CHECKOUT / "characters", *, wanted: Collection[str] = ()
    ) -> Sequence[Persona]:
        """Copy the sample personas that were never copied before (or those of `wanted`); return the new ones."""
        with arranging(self.home):
            remove_unfinished(self.home.characters)
            new = copy_samples(self.home, source, self.door.admissions.let_in, wanted)
            return [self._begin(path, "sample") for path in new]

    def create(
        self,
        name: str,
        *,
        language: Lang,
        system_prompt: str = "",
        greeting: str = "",
        user_name: str = "",
        user_profile: str = "",
        core_memory: str = "",
    ) -> Persona:
        """Make a persona.

        Raises:
            PersonaExistsError, UnsafeNameError, DiskFullError, UnwritableError: nothing was made.
        """
        document = {
            "format": persona_file.FORMAT,
            "created_at": self._clock.now().isoformat(timespec="seconds"),
            "language": language,
            "greeting": greeting,
            "user": {"name": user_name, "profile": user_profile},
            "settings": {},
        }
        with arranging(self.home):
            free = self.usable_name(name)
            with building(self.home.characters, free) as folder:
                paths = PersonaPaths(folder)
                write_atomic(paths.persona_json, dump_json(document))
                write_atomic(paths.system_prompt, system_prompt)
                write_atomic(paths.core_memory, core_memory)
                write_atomic(paths.notepad, "")
                self.door.admissions.let_in(folder, free)
            return self._begin(self.home.characters / free, "created")

    def rename(self, name: str, new_name: str) -> Persona:
        """Give a persona another name; its conversations keep the name that was spoken under.

        The old name is kept beside it: `renamed_to` knows it, as long as nobody else is called so.

        The caller closes what holds the folder's files open first.

        Raises:
            PersonaNotFoundError, PersonaExistsError, UnsafeNameError, UnwritableError: nothing was changed.
        """
        with arranging(self.home):
            paths, _ = self.door.resident(name)
            free = self.usable_name(new_name, instead_of=name)
            with self._moving(paths), self.door.admissions.moving(paths.folder, free):
                trash.move(paths.folder, self.home.characters / free)
            try:
                Ledger(self.home.usage).note_rename(self._clock.now(), persona_file.normal(paths.name), free)
            except UtataneError:  # the persona has its new name all the same
                logger.warning("what was spent stays under the old name", exc_info=True)
            self._note_former_name(free, persona_file.normal(paths.name))
            return self.get(free)

    def renamed_to(self, name: str) -> str | None:
        """Return what a persona of that name is called now; None if nobody gave it up, or somebody has it (again)."""
        if name_key(name) in {name_key(other) for other in self.door.all_names()}:
            return None
        found: dict[str, str] = {}
        for paths, admission in self.door.residents():
            with suppress(BrokenPersonaFileError, UnreadableError):
                document = persona_file.parse(paths.name, read_bytes(paths.persona_json) or b"{}")
                if when := persona_file.given_up(document, name, admission.mark):
                    found[when] = persona_file.normal(paths.name)
        return found[max(found)] if found else None

    def duplicate(self, name: str, new_name: str) -> Persona:
        """Copy a persona with all that it remembers; the copy goes its own way from here.

        Raises:
            PersonaNotFoundError, PersonaExistsError, UnsafeNameError, DiskFullError, UnwritableError: no
                copy was made.
        """
        with arranging(self.home):
            paths, admission = self.door.resident(name)
            free = self.usable_name(new_name)
            with building(self.home.characters, free) as folder, writing(paths):
                settle(paths)
                copy_durably(paths.folder, folder, _NOT_COPIED)
                self.door.admissions.let_in(folder, free, admission.agreed, admission.refused)
            return self.get(free)

    def delete(self, name: str) -> Trashed:
        """Move a persona to the trash, whole; a guest too, of which nothing is opened.

        The caller closes what holds the folder's files open first.

        Raises:
            PersonaNotFoundError, UnwritableError: nothing was changed.
        """
        with arranging(self.home):
            paths = find_folder(self.home.characters, name)
            is_guest = self.door.admissions.of(paths) is None
            with nullcontext() if is_guest else self._moving(paths):
                return trash.throw_away(paths.folder, self.home.trash, self._clock.now())

    def trashed(self) -> Sequence[Trashed]:
        """Return the deleted personas, newest first."""
        return trash.trashed(self.home.trash)

    def restore(self, trash_id: str, new_name: str | None = None) -> str:
        """Bring a deleted persona back; what was a guest is one again.

        Args:
            trash_id: a `Trashed.id`; or a persona's name for the newest of that name.
            new_name: another name, where its own is taken (`free_name` finds one).

        Returns:
            its name.

        Raises:
            NotInTrashError, PersonaExistsError, UnsafeNameError, UnwritableError: nothing was changed.
        """
        with arranging(self.home):
            item = trash.find(self.home.trash, trash_id)
            free = self.usable_name(new_name or item.name)
            with self.door.admissions.moving(item.folder, free):
                trash.move(item.folder, self.home.characters / free)
            return free

    # Who it is

    def set_user(self, name: str, *, user_name: str | None = None, profile: str | None = None) -> Persona:
        """Set how the persona knows the user; None leaves a part as it is."""

        def change(document: persona_file.Document) -> None:
            user = persona_file.part(document, "user")
            user.update({key: value for key, value in (("name", user_name), ("profile", profile)) if value is not None})

        return self._change(name, change, "user")

    def set_greeting(self, name: str, greeting: str) -> Persona:
        return self._change(name, lambda document: document.update(greeting=greeting), "greeting")

    def set_nickname(self, name: str, nickname: str) -> Persona:
        return self._change(name, lambda document: document.update(nickname=nickname), "nickname")

    def set_alternate_greetings(self, name: str, greetings: Sequence[str]) -> Persona:
        """Set what the persona may say first instead of its greeting."""
        texts = [text for text in greetings if text.strip()]
        return self._change(name, lambda document: document.update(alternate_greetings=texts), "greeting")

    def set_language(self, name: str, language: Lang) -> Persona:
        """Set the tongue that the persona speaks by default."""
        return self._change(name, lambda document: document.update(language=language), "language")

    def set_settings(self, name: str, section: str, **values: object) -> Persona:
        """Set some of the persona's own settings; None goes back to the common one. Whoever sets them means them.

        Raises:
            InvalidSettingError: a value cannot be used; nothing was changed.
        """
        for key, value in values.items():
            if value is not None:
                check(section, key, value)

        def change(document: persona_file.Document) -> None:
            own = persona_file.part(persona_file.part(document, "settings"), section)
            own.update({key: value for key, value in values.items() if value is not None})
            for key in [key for key, value in values.items() if value is None]:
                own.pop(key, None)

        self._change(name, change, "settings")
        paths, admission = self.door.resident(name)
        meant = {
            key: value for key, value in {**admission.agreed.get(section, {}), **values}.items() if value is not None
        }
        self.door.admissions.agree(paths, wishes_of({**admission.agreed, section: meant}))
        return self.get(name)

    def write_system_prompt(self, name: str, text: str, *, based_on: str | None, emptied: bool = False) -> Persona:
        """Write who the persona is.

        Raises:
            ExternallyChangedError: it was changed elsewhere; nothing was changed.
            ShrinkRefusedError: it would be emptied, and `emptied` is not set; nothing was changed.
        """
        paths, admission = self.door.resident(name)
        with writing(paths):
            settle(paths)
            before = read_persona(paths)
            if before.system_prompt_digest != based_on:
                raise ExternallyChangedError(path=paths.system_prompt.name, theirs=before.system_prompt)
            if before.system_prompt.strip() and not text.strip() and not emptied:
                raise ShrinkRefusedError(path=paths.system_prompt.name)
            if any(notice.code == "prompt-broken" for notice in before.notices):
                set_aside(paths.system_prompt, self._clock.now())
            spelling = spelling_of(read_bytes(paths.system_prompt) or b"")
            self._apply(paths, {paths.system_prompt: spelling.encode(text)}, "system prompt", "user")
            return self.door.read(paths, admission)

    def set_avatar(self, name: str, data: bytes) -> Persona:
        """Take a picture (PNG, JPEG or WebP) as the persona's avatar.

        Raises:
            AvatarRefusedError: it cannot be used; nothing was changed.
        """
        paths, admission = self.door.resident(name)
        picture = prepare_avatar(data)
        with writing(paths):
            changes: dict[Path, bytes | None] = {paths.folder / "avatar.png": picture}
            old = find_avatar(paths.folder)
            if old is not None and old.suffix != ".png":
                changes[old] = None
            self._apply(paths, changes, "avatar")
            return self.door.read(paths, admission)

    def mend(self, name: str) -> Persona:
        """Put broken files of who the persona is aside, and their newest good versions in their place.

        The persona that is returned has notices that say where the broken files lie now.
        """
        paths, admission = self.door.resident(name)
        with closing(History(paths, self._clock)) as history:
            kept = mend(paths, history, self._clock.now())
        mended = self.door.read(paths, admission)
        return replace(mended, notices=(*mended.notices, *kept))

    # Inside

    @contextmanager
    def _moving(self, paths: PersonaPaths) -> Iterator[None]:
        """Hold the persona's lock; on Windows only wait for it, for it moves no folder with an open file."""
        with writing(paths):
            settle(paths)
            if sys.platform != "win32":
                yield
        if sys.platform == "win32":
            yield

    def _note_former_name(self, name: str, former: str) -> None:
        """Keep a name that was given up; where that fails, the persona has its new one all the same."""
        if name_key(name) == name_key(former):
            return
        paths, admission = self.door.resident(name)
        try:
            persona_file.parse(
                name, read_bytes(paths.persona_json) or b"{}"
            )  # a broken one is left to whoever mends it
            now = self._clock.now()
            self._change(
                name, lambda document: persona_file.note_former_name(document, former, admission.mark, now), "renamed"
            )
        except UtataneError:
            logger.warning("an address with the old name leads nowhere", exc_info=True)

    def _begin(self, folder: Path, reason: str) -> Persona:
        paths = PersonaPaths(folder)
        with closing(History(paths, self._clock)) as history:
            history.begin(author="user" if reason == "created" else "utatane", reason=reason)
        return self.get(paths.name)

    def _change(self, name: str, change: Callable[[persona_file.Document], None], reason: str) -> Persona:
        paths, admission = self.door.resident(name)
        if persona_file.is_older(name, read_bytes(paths.persona_json)):
            self.before_migration()
        with writing(paths):
            settle(paths)
            kept: tuple[Notice, ...] = ()
            data = read_bytes(paths.persona_json)
            try:
                document = {} if data is None else persona_file.parse(name, data)
            except BrokenPersonaFileError:
                kept = (set_aside(paths.persona_json, self._clock.now()),)
                document = {}
            document = persona_file.migrated(document, self._clock.now())
            change(document)
            self._apply(paths, {paths.persona_json: dump_json(document).encode("utf-8", "replace")}, reason)
            changed = self.door.read(paths, admission)
            return replace(changed, notices=(*changed.notices, *kept))

    def _apply(
        self, paths: PersonaPaths, changes: Mapping[Path, bytes | None], reason: str, author: str = "user"
    ) -> None:
        with closing(History(paths, self._clock)) as history:
            history.change(changes, author=author, reason=reason)
