"""What a tool would write: a change that was thought and not made yet, so that it can be shown first, and made later."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from agent.memories import Memories
from managers.language.reading.own_words import names_all
from managers.memory.provenance import is_own
from managers.mind import Sheet
from managers.storage.errors import Lang


@dataclass(frozen=True)
class Writer:
    """On whose behalf something is written.

    Attributes:
        mind: the name of whatever thought of it.
        evidence: the message that was being answered: what the change rests on.
        is_allowed: a person was asked, and said yes.
        is_program: another program asked for it, not the persona's mind.
    """

    memories: Memories
    sheet: Sheet
    mind: str
    evidence: tuple[str, ...]
    is_allowed: bool = False
    is_program: bool = False

    def is_said(self, written: str, replaced: str = "") -> bool:
        """Tell whether the user's own line of this turn names all that is added and taken away."""
        asked = self.memories.log.get(self.evidence[0])
        names = (self.sheet.persona, self.sheet.nickname, self.sheet.user_name)
        return (
            asked is not None and is_own(asked) and names_all(asked.text, written, asked.time, names, replaced=replaced)
        )

    @property
    def author(self) -> str:
        """Who the history says has written."""
        return "program" if self.is_program else self.sheet.persona


@dataclass(frozen=True, slots=True)
class Look:
    """What a change would do to what is there now.

    Attributes:
        path: the file, relative to the persona's folder.
        base: a digest of what is there; empty where there is nothing.
        diff: what would go and what would come, line by line.
    """

    path: str
    base: str
    diff: str


class Write(BaseModel, ABC):
    """A change of a memory. Its fields are all that is needed to make it, and outlive the process."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @abstractmethod
    def look(self, writer: Writer) -> Look:
        """Return what it would change; nothing is written.

        Raises:
            UtataneError: it cannot be made.
        """

    @abstractmethod
    def carry_out(self, writer: Writer) -> str:
        """Make it; return what the mind is told.

        Raises:
            NothingDoneError: there is nothing to change.
            UtataneError: it cannot be made; nothing was changed.
        """

    def announcement(self, _: Lang) -> str:
        """Return what the log says of this very change; empty: what it says of the tool."""
        return ""

    def is_users_own(self, _: Writer) -> bool:
        """Tell whether the user's own words say it, whatever a mind makes of them: then nobody need be asked."""
        return False
