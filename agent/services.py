"""All services of one home folder: made once, in `commands/shared.py`, and handed down."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property, partial
from random import Random
from typing import TYPE_CHECKING, Any

from agent.companion import Companion
from agent.erasing import finish_erasing
from agent.group.groups import Groups
from agent.group.opened_sessions import ended_threads, open_sessions
from agent.health import look_around
from agent.memories import Memories, open_memories
from agent.minds.choose import MindChooser
from agent.minds.engine.engine import Engine
from agent.minds.joining import Joinings
from agent.minds.measures import Measures
from agent.spending import CapWarnings, note_leaving, usage_limits
from managers.domains.domain_knowledge import Domains
from managers.growth.adapters import Adapters
from managers.hygiene.setting_conflicts import conflicts
from managers.known_servers import KnownServers
from managers.personas import Persona, PersonaStore
from managers.recall.documents.process import READER
from managers.storage import audit, privacy
from managers.storage.clock import Clock, SystemClock
from managers.storage.edges import said
from managers.storage.errors import Notice, UtataneError, as_notice
from managers.storage.notices import NoticeBoard
from managers.storage.paths import Home
from managers.storage.residence import give_back_free
from managers.storage.settings import Secrets, Settings, SettingsFile
from managers.usage.meter import Meter

if TYPE_CHECKING:
    from agent.export_jobs import ExportJobs
    from agent.growth_jobs import GrowthJobs
    from agent.import_jobs import ImportJobs
    from agent.sleeper import CompanionSleeper
    from managers.domains.domain_jobs import DomainJobs
    from managers.exchange.backups.daily import DailyBackups
    from managers.sessions.tiers import Sessions
    from managers.sleep.scheduler import SleepScheduler


_IDLE = timedelta(minutes=5)


@dataclass
class Services:
    """What the page and the command line work with."""

    home: Home
    clock: Clock
    rng: Random
    settings_file: SettingsFile
    secrets: Secrets
    personas: PersonaStore
    minds: MindChooser
    meter: Meter
    notices: NoticeBoard
    engine: Engine
    """The one for models on this computer."""
    going_through: threading.Thread | None = None
    """Makes the files of a home folder private, once."""
    only_look: bool = False
    """Nothing is written: personas are read as they lie there, and nobody is woken."""
    joinings: Joinings = field(default_factory=Joinings)
    fetches: Joinings = field(default_factory=Joinings)
    _companions: dict[str, Companion] = field(default_factory=dict)
    _waking: threading.Lock = field(default_factory=threading.Lock)
    _doors: dict[str, threading.RLock] = field(default_factory=dict)
    _has_examined_sessions: bool = False

    def settings(self) -> Settings:
        """Return the settings as they stand in the file now; what is wrong with it is put up as a notice."""
        settings, notices = self.settings_file.load()
        self.notices.replace("settings", [*notices, *conflicts(settings)])
        return settings

    def gather_notices(self) -> list[Notice]:
        """Put up which personas' folders cannot be read; return all that is up and is no one persona's."""
        unreadable = self.personas.door.unreadable().values()
        self.notices.replace("personas", [as_notice("persona-unreadable", error) for error in unreadable])
        return self.notices.all

    def companion(self, name: str) -> Companion:
        """Return the persona, awake; the same object for the same persona.

        Raises:
            PersonaNotFoundError, UnsafeNameError
        """
        companion = self._companion(name)
        companion.wake(only_look=self.only_look)
        return companion

    def memories(self, name: str) -> Memories:
        """Return what a persona remembers; nobody is woken for that.

        Raises:
            PersonaNotFoundError, UnsafeNameError
        """
        return self._companion(name).memories

    def _companion(self, name: str) -> Companion:
        with self._door(name):
            return self._wakened(self.personas.get(name))

    def _wakened(self, persona: Persona) -> Companion:
        with self._waking:
            companion = self._companions.get(persona.name)
            if companion is None:
                look_around(self.home, self.notices)
                memories = open_memories(
                    self.personas,
                    persona.name,
                    self.settings,
                    self.clock,
                    self.rng,
                    secrets=self.secrets,
                    meter=self.meter,
                    threads=partial(ended_threads, self),
                    ended=lambda: self.sessions.ended(),  # noqa: PLW0108  # they are opened when it is asked
                    domains=self.domains,
                )
                if not self.only_look:
                    finish_erasing(memories)
                companion = self._companions[persona.name] = Companion(
                    memories,
                    self.minds,
                    self.clock,
                    self.rng,
                    when_conversation_ends=lambda: self._sleeper(memories).close_conversation(),
                )
            return companion

    def sleeper(self, name: str) -> CompanionSleeper:
        """Return the persona as sleep sees it; nobody is woken for that."""
        companion = self._companion(name)
        return self._sleeper(companion.memories, companion.last_aside)

    def _sleeper(self, memories: Memories, aside: Callable[[], datetime | None] = lambda: None) -> CompanionSleeper:
        from agent.sleeper import CompanionSleeper  # noqa: PLC0415  # a tenth of a second that no start needs

        return CompanionSleeper(memories, self.minds, self.clock, aside=aside)

    @cached_property
    def groups(self) -> Groups:
        """The conversations of the user with several personas."""
        return Groups(self)

    @cached_property
    def sessions(self) -> Sessions:
        """What is kept of those conversations in the middle term."""
        return open_sessions(self)

    @cached_property
    def domains(self) -> Domains:
        """The knowledge that personas of a domain share."""
        return Domains(
            self.home,
            self.clock,
            lambda: self.settings_file.load()[0].recall,
            secrets=self.secrets,
            meter=self.meter,
            only_look=self.only_look,
        )

    @cached_property
    def domain_jobs(self) -> DomainJobs:
        """What fetches it."""
        from managers.domains.domain_jobs import DomainJobs  # noqa: PLC0415  # only who fetches needs it

        return DomainJobs(self.home, self.clock, self.domains, self.notices)

    @cached_property
    def imports(self) -> ImportJobs:
        """The import that the page asked for."""
        from agent.import_jobs import ImportJobs  # noqa: PLC0415  # only who imports something needs it

        return ImportJobs(self)

    @cached_property
    def trainings(self) -> GrowthJobs:
        """The training that the page asked for."""
        from agent.growth_jobs import GrowthJobs  # noqa: PLC0415  # only who trains needs it

        return GrowthJobs()

    @cached_property
    def exports(self) -> ExportJobs:
        """What the page exports."""
        from agent.export_jobs import ExportJobs  # noqa: PLC0415  # only who exports needs it

        return ExportJobs(self.home, only_look=self.only_look)

    @property
    def exported_so_far(self) -> str:
        """What changes while something is exported or trained on the page."""
        return "".join(one.mark for one in self._used("exports", "trainings"))

    @property
    def fetched_so_far(self) -> str:
        """What changes while a model, or the sources of a domain, are being fetched."""
        fetched = self.joinings.mark + self.fetches.mark
        return fetched + (self.domain_jobs.mark if "domain_jobs" in self.__dict__ else "")

    @cached_property
    def sleep(self) -> SleepScheduler:
        """What runs while nobody talks; `serve` starts it."""
        from managers.sleep.scheduler import SleepScheduler  # noqa: PLC0415  # only whoever serves needs it

        return SleepScheduler(self.clock, self._sleepers)

    @cached_property
    def backups(self) -> DailyBackups:
        """The backups of this home, and what makes them by itself; `serve` lets it."""
        from managers.exchange.backups.daily import DailyBackups  # noqa: PLC0415  # only who asks for them needs it
        from managers.exchange.backups.keeping import Backups  # noqa: PLC0415  # the same

        settings = self.settings_file
        return DailyBackups(
            Backups(self.home, self.clock, lambda: settings.load()[0].backup, self.secrets), self.notices, self._is_idle
        )

    def _is_idle(self) -> bool:
        """Tell whether nobody who is awake has been talked with for some minutes."""
        now = self.clock.now()
        for companion in list(self._companions.values()):
            last = companion.memories.inner_state.last_interaction()
            if companion.turn is not None or (last is not None and abs(now - last) < _IDLE):
                return False
        return True

    @property
    def backing_up(self) -> str:
        """What changes when a backup begins or ends."""
        return self.backups.mark if "backups" in self.__dict__ else ""

    def begin_ticking(self) -> None:
        """Let sleep, backups, sessions and domains look every minute what is due; what is not used goes to the system."""
        self.sleep.start(self._back_up, self._move_sessions, self._fetch_domains, give_back_free)

    def _back_up(self) -> None:
        self.backups.tick()

    def _move_sessions(self) -> None:
        """Move conversations of several to the tier where they belong by now; the first time, say what is amiss there."""
        from agent.group.session_health import examine_sessions  # noqa: PLC0415  # only whoever serves needs it

        try:
            if not self._has_examined_sessions:
                self._has_examined_sessions = True
                amiss = [one for one in examine_sessions(self) if one.level != "info"]
                self.notices.replace("sessions", amiss)
            self.sessions.move()
        except UtataneError as error:
            self.notices.replace("sessions-worker", [as_notice("sessions-wait", error)])
        else:
            self.notices.replace("sessions-worker", [])

    def _fetch_domains(self) -> None:
        self.domain_jobs.tick()

    def _sleepers(self) -> list[CompanionSleeper]:
        """Return all personas as sleep sees them; one that cannot be opened keeps no other awake."""
        found, failed = [], []
        for name in self.personas.list_names():
            try:
                found.append(self.sleeper(name))
            except (UtataneError, OSError) as error:
                failed.append(as_notice("sleep-without", said(error, f"sleep of {name}")))
        self.notices.replace("sleep", failed)
        return found

    @contextmanager
    def away(self, name: str) -> Iterator[None]:
        """Let go of a persona while its folder is renamed or deleted.

        Whoever asks for it waits until that is done. Any window does every other second: woken between the farewell
        and the move, it would index what is there no longer, and leave a persona of that name with nothing in it.
        """
        with self._door(name):
            self._let_go(name)
            yield

    def let_sleep(self, name: str) -> None:
        """Let go of a persona that is to be opened anew."""
        with self._door(name):
            self._let_go(name)

    def _let_go(self, name: str) -> None:
        for one in self._used("trainings"):
            one.let_go(name)
        with self._waking:
            companion = self._companions.pop(name, None)
        if companion is not None:
            companion.close()

    def _door(self, name: str) -> threading.RLock:
        return self._doors.setdefault(name, threading.RLock())

    def close(self) -> None:
        """Finish what is under way."""
        for one in (*self._used("backups", "exports", "sleep"), self.joinings, self.fetches):
            one.stop()
        for one in self._used("domain_jobs", "imports", "trainings"):
            one.close()
        READER.close()  # whoever is indexing a document that takes long is not waited for
        for one in self._used("groups", "sessions"):
            one.close()
        for name in list(self._companions):
            self.let_sleep(name)
        for one in self._used("domains"):
            one.close()
        self.engine.stop()
        self.meter.flush()
        audit.settle()  # of personas too that nobody woke
        if self.going_through is not None:
            self.going_through.join()

    def _used(self, *names: str) -> Iterator[Any]:
        """Yield those services that somebody has asked for: the others were never made."""
        return (self.__dict__[name] for name in names if name in self.__dict__)


def open_services(
    home: Home, clock: Clock | None = None, rng: Random | None = None, *, only_look: bool = False
) -> Services:
    """Make the services of a home folder and copy the sample personas on the first start.

    With `only_look`, nothing is made or written.
    """
    clock, rng = clock or SystemClock(), rng or Random()  # noqa: S311 - ids, not secrets
    secrets, settings_file, personas = (
        Secrets(home.secrets),
        SettingsFile(home.settings),
        PersonaStore(home, clock, rng, only_look=only_look),
    )
    notices = NoticeBoard()
    meter = Meter(home.usage, clock, partial(usage_limits, settings_file, personas), only_look=only_look)
    warnings = CapWarnings(meter, notices)
    meter.when_counted = warnings.look
    meter.when_leaving = partial(note_leaving, home)
    measures = Measures(None if only_look else home.models)
    engine = Engine(home, lambda: settings_file.load()[0].engine, measures)
    services = Services(
        home=home,
        clock=clock,
        rng=rng,
        settings_file=settings_file,
        secrets=secrets,
        personas=personas,
        minds=MindChooser(
            secrets,
            KnownServers(home, clock),
            meter=meter,
            adapters=lambda name: Adapters(home.persona(name), clock),
            measures=measures,
            engine=engine,
        ),
        meter=meter,
        notices=notices,
        engine=engine,
        only_look=only_look,
    )
    personas.before_migration = partial(_keep_all, home, clock)
    if not only_look:
        notices.post(*privacy.shut(home), *personas.door.mend())
        services.personas.install_samples()
        look_around(home, notices)
        if not privacy.is_done(home):
            services.going_through = threading.Thread(target=privacy.go_through, args=(home,), name="privacy")
            services.going_through.start()
    return services


def _keep_all(home: Home, clock: Clock) -> None:
    """Back everything up before files are brought to a newer format."""
    from managers.exchange.backups.keeping import snapshot  # noqa: PLC0415  # hardly ever needed

    snapshot(home, "migration", clock)
