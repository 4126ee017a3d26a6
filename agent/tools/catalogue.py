"""The tools that a mind may call: what each is, and how a call is checked, run and answered."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from agent.tools.writes import Write
from managers.mind import ToolCall, ToolSpec
from managers.recall.hits import Hit
from managers.storage.errors import Lang, UtataneError
from managers.storage.texts import Texts

C = TypeVar("C")


class Arguments(BaseModel):
    """Base of all tools' arguments: what is not asked for is left aside, as models like to add a reason or an id."""

    model_config = ConfigDict(extra="ignore", str_strip_whitespace=True)


class Nothing(Arguments):
    """No arguments."""


@dataclass(frozen=True, slots=True)
class Found:
    """What the mind is told, the memories that it is made of, and whose foreign words are in it."""

    text: str
    carried: tuple[str, ...] = ()
    hits: tuple[Hit, ...] = ()


@dataclass(frozen=True, slots=True)
class Tool(Generic[C]):
    """One tool, over a context `C` of memories.

    Attributes:
        describe: what it is for, as the mind reads it.
        announce: what the log says of a use ("🛠️ …"); the result itself is never logged.
        run: returns what the mind is told, or the change that is to be made; raises `NothingDoneError` where there was
            nothing to do.
        writes: whether it changes a memory (such tools are not offered off the record); then `run` makes no change itself.
        is_private: it is over the persona's diaries: not offered where another program speaks.
    """

    name: str
    describe: dict[Lang, str]
    announce: dict[Lang, str]
    arguments: type[Arguments]
    run: Callable[[C, Any], str | Found | Write]
    writes: bool = False
    is_private: bool = False


class NothingDoneError(Exception):
    """A tool had nothing to do, or not enough to do it; its words are for the mind, and no announcement says it did."""


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What the mind is told, and what the log says; no announcement for a call that was refused, unless a person should know.

    Attributes:
        carried: whose foreign words the mind has seen with it.
        held: the id of the change that waits for a person's yes.
        hits: the memories that were found.
    """

    text: str
    announcement: str = ""
    carried: tuple[str, ...] = ()
    held: str = ""
    hits: tuple[Hit, ...] = ()


Settle = Callable[["Tool[Any]", Write], ToolAnswer]
"""Makes a change, or holds it; raises what making it raises."""


_say = Texts("prompts/tools")


class Catalogue(Generic[C]):
    """A set of tools by name."""

    def __init__(self, tools: Sequence[Tool[C]]) -> None:
        self._tools = {tool.name: tool for tool in tools}

    def named(self, name: str) -> Tool[C] | None:
        """Return the tool of that name, if there is one."""
        return self._tools.get(name)

    def specs(self, lang: Lang, *, writing: bool = True, private: bool = True) -> list[ToolSpec]:
        """Return what a mind is offered."""
        return [
            ToolSpec(tool.name, tool.describe[lang], tool.arguments, lang)
            for tool in self._tools.values()
            if (writing or not tool.writes) and (private or not tool.is_private)
        ]

    def use(self, call: ToolCall, context: C, lang: Lang, settle: Settle, offered: Sequence[ToolSpec]) -> ToolAnswer:
        """Check and run a call of one of the tools that were offered; what is wrong is answered with a sentence to act on."""
        names = [spec.name for spec in offered]
        tool = self._tools.get(call.name) if call.name in names else None
        if tool is None:
            known = ", ".join(names)
            return ToolAnswer(_say("no_such", lang, name=call.name[:60], known=known))
        try:
            arguments = tool.arguments.model_validate(dict(call.arguments))
        except ValidationError as error:
            problems = "; ".join(f"{'.'.join(map(str, e['loc'])) or '-'}: {e['msg']}" for e in error.errors()[:5])
            return ToolAnswer(_say("wrong_arguments", lang, name=tool.name, problems=problems))
        try:
            outcome = tool.run(context, arguments)
            if isinstance(outcome, Write):
                return settle(tool, outcome)
            found = Found(outcome) if isinstance(outcome, str) else outcome
            return ToolAnswer(found.text, tool.announce[lang], found.carried, hits=found.hits)
        except NothingDoneError as error:
            return ToolAnswer(str(error))
        except UtataneError as error:
            return ToolAnswer(error.sentence(lang))
