"""The door: which folders are personas here, and which are guests that nobody let in on this computer."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path

from managers.personas import persona_file
from managers.personas.admissions import Admission, Admissions
from managers.personas.avatars import avatar_files
from managers.personas.errors import ChangedSinceShownError, GuestError, NotAdmissibleError
from managers.personas.folders import arranging, find_folder, persona_folders
from managers.personas.guests import Guest, look_through
from managers.personas.persona import Persona, read_persona
from managers.personas.sensitive_settings import NOTHING, digest_of, in_words, is_same
from managers.storage import opening
from managers.storage.clock import Clock
from managers.storage.errors import Notice, UnreadableError, UtataneError, as_notice
from managers.storage.files import explained, fsync_folder, make_folder, remove_tree
from managers.storage.history.objects import write_settings
from managers.storage.paths import Home, PersonaPaths
from managers.storage.texts import Texts
from managers.storage.unchanged import Unchanged

_say = Texts("notices/personas")


@dataclass(frozen=True, slots=True)
class Question:
    """What waits for somebody's yes: a guest, or a persona whose folder asks for other settings than were granted.

    Attributes:
        name: whose folder it is.
        is_guest: nobody let it in yet.
        findings: what is in a guest's folder.
        wishes: what the folder asks for, in plain words; nothing of it is used before a yes.
        seen: what stands for these wishes in an answer.
        obstacle: why a guest cannot be let in as it is.
        is_remembered: it was let in, says a record that does not hold here: lost, or another computer's.
    """

    name: str
    is_guest: bool
    findings: Sequence[Notice]
    wishes: Sequence[Notice]
    seen: str
    obstacle: Notice | None = None
    is_remembered: bool = False


class Door:
    """The door of one home folder. Safe to use from several threads and processes."""

    def __init__(self, home: Home, clock: Clock) -> None:
        self._home = home
        self._clock = clock
        self.admissions = Admissions(home, clock)
        self._read = Unchanged[Persona]()

    # Looking

    def all_names(self) -> list[str]:
        """Return the names that are taken, guests' too, in order."""
        return [persona_file.normal(paths.name) for paths in self._folders()]

    def residents(self) -> Iterator[tuple[PersonaPaths, Admission]]:
        """Yield the personas' folders, in order of their names, and how each was let in."""
        for paths, admission in self._looked_up():
            if isinstance(admission, Admission):
                yield paths, admission

    def marks(self) -> dict[str, Sequence[str]]:
        """Return what each persona is known by, whatever it is called, and then what backups know it by."""
        return {
            persona_file.normal(paths.name): (one.mark, *(mark for mark, _ in one.former))
            for paths, one in self.residents()
        }

    def resident(self, name: str) -> tuple[PersonaPaths, Admission]:
        """Return where a persona is, and how it was let in.

        Raises:
            PersonaNotFoundError, GuestError, UnsafeNameError
            UnreadableError: nobody can tell whether it was let in.
        """
        paths = find_folder(self._home.characters, name)
        admission = self.admissions.of(paths)
        if admission is None:
            raise GuestError(name=persona_file.normal(paths.name))
        return paths, admission

    def read(self, paths: PersonaPaths, admission: Admission) -> Persona:
        """Return a persona as it stands in its folder now, as far as it was let in."""
        files = (paths.persona_json, paths.system_prompt, *avatar_files(paths.folder))
        make = partial(read_persona, paths, admission.agreed, admission.refused)
        found = self._read.get(make, *files, of=(paths, admission))
        return make() if found.notices else found  # what could not be read may be by now

    def guests(self) -> list[str]:
        """Return the names of the folders that nobody let in on this computer, in order."""
        return [persona_file.normal(paths.name) for paths, admission in self._looked_up() if admission is None]

    def unreadable(self) -> dict[str, UnreadableError]:
        """Return the names of the folders of which nobody can tell whether they were let in, and what stands in the way."""
        looked_up = self._looked_up()
        return {
            persona_file.normal(paths.name): found for paths, found in looked_up if isinstance(found, UnreadableError)
        }

    def waiting(self) -> list[str]:
        """Return the names of all that wait for a yes: guests, and personas whose folders ask for other settings."""
        here = [self.read(paths, admission) for paths, admission in self.residents()]
        return self.guests() + [persona.name for persona in here if persona.asks]

    def question(self, name: str) -> Question | None:
        """Return what is to be known before a yes, also one to what was refused; None where all is granted.

        Raises:
            PersonaNotFoundError, UnsafeNameError, UnreadableError
        """
        paths = find_folder(self._home.characters, name)
        admission = self.admissions.of(paths)
        if admission is None:
            guest = look_through(paths)
            asked = guest.findings, in_words(guest.wishes), guest.seen, guest.obstacle
            return Question(guest.name, True, *asked, self.admissions.is_remembered(paths))
        persona = self.read(paths, admission)
        if is_same(persona.wishes, admission.agreed):
            return None
        return Question(persona.name, False, (), in_words(persona.wishes, admission.agreed), digest_of(persona.wishes))

    def _looked_up(self) -> Iterator[tuple[PersonaPaths, Admission | UnreadableError | None]]:
        for paths in self._folders():
            try:
                yield paths, self.admissions.of(paths)
            except UnreadableError as error:
                yield paths, error

    def _folders(self) -> Iterator[PersonaPaths]:
        return (PersonaPaths(path) for path in persona_folders(self._home.characters))

    # Answering

    def mend(self) -> list[Notice]:
        """Put right what tells who lives here, where one of its two copies is broken; return what a person is told."""
        try:
            return [_say.notice("admissions-mended", "info")] if self.admissions.mend() else []
        except UtataneError as error:  # the other copy holds
            return [as_notice("admissions-mended", error)]

    def admit(self, name: str, *, wishes: str = "", grant: bool | None = None) -> Sequence[Notice]:
        """Let a guest in: what leads elsewhere or might run is put aside, derived files are made anew.

        Args:
            name: the folder; one that is let in already stays as it is.
            wishes: the `Question.seen` of the wishes that were shown.
            grant: whether they are granted; None: nobody has answered that yet.

        Returns:
            what was done to the folder.

        Raises:
            PersonaNotFoundError, UnsafeNameError, UnreadableError
            NotAdmissibleError, ChangedSinceShownError, UnwritableError, DiskFullError, BusyError: it stays a guest.
        """
        with arranging(self._home):
            paths = find_folder(self._home.characters, name)
            if self.admissions.of(paths) is not None:
                return ()
            guest = look_through(paths)
            if guest.obstacle is not None:
                raise NotAdmissibleError(name=guest.name, reason_ja=guest.obstacle.ja, reason_en=guest.obstacle.en)
            if grant is not None and wishes != guest.seen:
                raise ChangedSinceShownError(name=guest.name)
            done = _clean(guest, self._clock.now())
            agreed, refused = guest.wishes if grant else NOTHING, wishes if grant is False else ""
            self.admissions.let_in(paths.folder, paths.name, agreed, refused)
            return done

    def receive(self, folder: Path, name: str) -> None:
        """Let in a folder that is being built of foreign files; the settings that need a yes of their own wait for it.

        What would be put aside of a guest's folder is not taken over: its source has it.

        Raises:
            UnreadableError, NotAdmissibleError, UnwritableError, DiskFullError: it stays before the door.
        """
        guest = look_through(PersonaPaths(folder))
        if guest.obstacle is not None:
            raise NotAdmissibleError(name=name, reason_ja=guest.obstacle.ja, reason_en=guest.obstacle.en)
        for path in guest.misplaced:
            remove_tree(path)
        _clean(replace(guest, misplaced=()), self._clock.now())
        self.admissions.let_in(folder, name)

    def answer(self, name: str, *, wishes: str, yes: bool) -> None:
        """Answer what a persona's folder asks for; what is granted counts from now on, and nothing else does.

        Raises:
            PersonaNotFoundError, GuestError, UnsafeNameError
            ChangedSinceShownError: it asks for something else by now.
            DiskFullError, UnwritableError, BusyError: nothing was changed.
        """
        paths, admission = self.resident(name)
        asked = self.read(paths, admission).wishes
        if digest_of(asked) != wishes:
            raise ChangedSinceShownError(name=persona_file.normal(paths.name))
        if yes:
            self.admissions.agree(paths, asked)
        else:
            self.admissions.refuse(paths, asked)


def _clean(guest: Guest, now: datetime) -> list[Notice]:
    """Make a guest's folder one that can be opened; done twice, it does no harm.

    What is put aside lies in `characters/.set-aside/`, outside of the persona's folder, as it was.

    Returns:
        Where that lies which was put aside; empty if nothing was.

    Raises:
        UnwritableError, DiskFullError: something of it could not be done; it can be tried again.
    """
    paths = guest.paths
    try:
        kept = _put_aside(guest.misplaced, paths, now)
        remove_tree(paths.rag_index)
        if opening.is_folder(paths.history):
            write_settings(paths.history)
    except OSError as error:
        raise explained(error, paths.folder) from error
    if kept is None:
        return []
    count = len(guest.misplaced)
    return [_say.notice("guest-put-aside", "info", count=count, kept=kept)]


def _put_aside(found: Iterable[Path], paths: PersonaPaths, now: datetime) -> Path | None:
    """Move entries out of the folder, links as links; return where they lie now."""
    kept: Path | None = None
    for path in found:
        if kept is None:
            kept = opening.free(paths.home.set_aside / f"{paths.name}-{now:%Y%m%d-%H%M%S}")
        target = kept / path.relative_to(paths.folder)
        make_folder(target.parent)
        opening.move(path, target)
        fsync_folder(target.parent)
        fsync_folder(path.parent)
    return kept
