"""The tool that forgets what somebody just said, because they ask for it."""

from typing import Literal

from pydantic import Field

from agent.forgetting import let_go
from agent.tools.catalogue import Arguments, Tool
from agent.tools.context import ToolContext, tool
from agent.tools.writes import Look, Write, Writer
from managers.language.dates_in_words import say
from managers.language.reading.forget_wishes import asks_to_forget, names_something, read_forget_wish
from managers.language.words import content_words
from managers.memory.errors import UnclearWhatToForgetError
from managers.memory.forgotten import choose, holds
from managers.memory.messages import Message
from managers.memory.provenance import is_own
from managers.storage.files import digest
from managers.storage.texts import Texts

_say = Texts("prompts/tools")


class What(Arguments):
    """What to forget."""

    about: str = Field(
        "",
        max_length=100,
        description="A word or two that stand in what is to be forgotten; empty: what the user said last before asking",
    )


class Forgetting(Write):
    """Words of the conversation that are to go, with their answers."""

    kind: Literal["forget"] = "forget"
    about: str = ""

    def look(self, writer: Writer) -> Look:
        asked = _wish(writer)
        going = choose(writer.memories.log, asked.id, _meant(asked.text, self.about))
        lines = [f"-{one.time:%H:%M} {one.speaker}: {' '.join(one.text.split())}\n" for one in going]
        return Look("log.txt", digest("\n".join(one.id for one in going)), "".join(lines))

    def carry_out(self, writer: Writer) -> str:
        lang, asked = writer.sheet.language, _wish(writer)
        gone = let_go(writer.memories, asked.id, _meant(asked.text, self.about))
        done = _say("forgotten", lang, time=say("with_clock", gone.messages[0].time, lang), count=len(gone.messages))
        return "\n".join([done, _say("forgotten_but", lang, files=", ".join(gone.left))] if gone.left else [done])

    def is_users_own(self, writer: Writer) -> bool:
        """A wish of the user's that is read with certainty, or names what goes: no mind, and no document, has a say in it."""
        asked = _wish(writer)
        is_certain = read_forget_wish(asked.text) is not None
        return is_own(asked) and (is_certain or (bool(self.about) and writer.is_said("", self.about)))


def forget_messages(_: ToolContext, wanted: What) -> Forgetting:
    """Forget the user's last statement, or what they said about something, with the answers."""
    return Forgetting(about=wanted.about)


def _wish(writer: Writer) -> Message:
    """Return the message that asks to have something forgotten.

    Raises:
        UnclearWhatToForgetError: it asks for no such thing.
    """
    asked = writer.memories.log.get(writer.evidence[0])
    if asked is None or not asks_to_forget(asked.text):
        raise UnclearWhatToForgetError
    return asked


def _meant(asked: str, about: str) -> str:
    """Return the words that name what is to go: as the user's own say it, whatever a mind makes of them.

    Raises:
        UnclearWhatToForgetError: the mind names something that the user does not.
    """
    wish = read_forget_wish(asked)
    if wish is not None:
        return wish.about
    if about and not (names_something(about) and holds(asked, content_words(about))):
        raise UnclearWhatToForgetError
    return about


TOOLS: list[Tool[ToolContext]] = [tool("forget_messages", What, forget_messages, writes=True)]
