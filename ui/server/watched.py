"""What windows look at while they are open: a persona, or a conversation of several."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from agent.events import TurnEvent
from agent.minds.mind_status import MindStatus
from agent.services import Services
from agent.turn import Turn
from managers.storage.errors import Lang
from ui.components.faces import Face, face_of
from ui.components.revision import revision_of
from ui.locales import texts
from ui.rooms.group import view as group_view
from ui.rooms.talk import view as talk_view
from ui.server.templates import part


class Shown(Protocol):
    """A turn as far as it has come."""

    @property
    def number(self) -> int: ...

    @property
    def step(self) -> int: ...

    @property
    def speaking(self) -> str: ...


Live = TypeVar("Live", bound=Shown)


class Watched(Protocol[Live]):
    """What a window looks at. What it returns is told to all windows that show the same."""

    @property
    def key(self) -> str:
        """Return what it is known by; no two have the same."""

    def state(self, services: Services) -> tuple[str, Turn | None]:
        """Return the revision of what is shown, and the turn under way.

        Raises:
            UtataneError: it is not there any more.
        """

    def mind_status(self, services: Services) -> MindStatus | None:
        """Return which mind speaks; None where there is not one."""

    def faces(self, services: Services) -> Mapping[str, Face]:
        """Return how those look who may speak."""

    def begun(self, turn: Turn, /) -> Live:
        """Return a turn of which nothing has come yet."""

    def after(self, shown: Live, events: Sequence[TurnEvent], /) -> Live:
        """Return it after more events."""

    def drawn(self, shown: Live, faces: Mapping[str, Face], lang: Lang) -> str:
        """Return it as the page shows it."""


@dataclass(frozen=True, slots=True)
class WatchedPersona:
    """One persona's rooms."""

    key: str
    begun, after = staticmethod(talk_view.begun), staticmethod(talk_view.after)

    def state(self, services: Services) -> tuple[str, Turn | None]:
        companion = services.companion(self.key)
        return revision_of(services, companion), companion.turn

    def mind_status(self, services: Services) -> MindStatus | None:
        return services.companion(self.key).mind_status()

    def faces(self, services: Services) -> Mapping[str, Face]:
        return {self.key: face_of(services, self.key)}

    def drawn(self, shown: talk_view.Live, faces: Mapping[str, Face], lang: Lang) -> str:
        return part("rooms/talk/entries.html", "live", shown, {"face": faces[self.key]}, texts(lang))


@dataclass(frozen=True, slots=True)
class WatchedGroup:
    """The room of one conversation of several."""

    group: str
    begun, after = staticmethod(group_view.begun), staticmethod(group_view.after)

    @property
    def key(self) -> str:
        return f"group/{self.group}"  # no persona's name has a slash

    def state(self, services: Services) -> tuple[str, Turn | None]:
        talk = services.groups.get(self.group)
        turn = talk.turn
        return group_view.revision_of_group(services, talk, talk.standing), turn

    def mind_status(self, services: Services) -> MindStatus | None:
        del services
        return None

    def faces(self, services: Services) -> Mapping[str, Face]:
        return group_view.faces_of(services)

    def drawn(self, shown: group_view.GroupLive, faces: Mapping[str, Face], lang: Lang) -> str:
        if not shown.speaker:
            return '<div class="between"></div>'
        face = group_view.face_in(faces, shown.speaker)
        return part("rooms/talk/entries.html", "live", shown.live, {"face": face}, texts(lang))
