"""Writing that a person must allow first: held until they say yes, made then as it would have been made at once.

A document can ask a mind for anything. So in such a turn no tool changes a memory: what it would write is kept
(`managers.memory.held_writes`), the mind is told so, and the person sees what would change and whose text was there. A yes
makes the change through the same code, once, and only if what it is made to is what was shown. What another program would
add to a note is held in the same way.
"""

import json
import shlex
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError

from agent.memories import Memories
from agent.prompts import holding
from agent.provenance import names_of
from agent.tools import all_tools
from agent.tools.catalogue import NothingDoneError, Tool, ToolAnswer
from agent.tools.entity_tools import EntityWrite
from agent.tools.forget_tool import Forgetting
from agent.tools.note_tools import NoteWrite
from agent.tools.writes import Look, Write, Writer
from managers.memory.errors import HeldChangedError, HeldTooLargeError, NotHeldError, TooManyHeldError
from managers.memory.held_writes import KEPT, LARGEST, HeldWrite, held_id
from managers.memory.json_documents import TIME
from managers.memory.notes import Edit
from managers.storage.audit import Given, record
from managers.storage.errors import Lang, UnwritableError, UtataneError
from managers.storage.locks import writing
from managers.storage.texts import Texts

_say = Texts("prompts/approval")

AddedTo = Literal["core_memory", "notepad"]
"""Notes that another program may ask to add to."""
_WRITES: TypeAdapter[NoteWrite | EntityWrite | Forgetting] = TypeAdapter(
    Annotated[NoteWrite | EntityWrite | Forgetting, Field(discriminator="kind")]
)


@dataclass(frozen=True, slots=True)
class Waiting:
    """A wish that waits for an answer, as a person sees it.

    Attributes:
        held: the wish.
        documents: the names of what was before the mind's eyes.
        look: what it would change now; None if it cannot be made any more.
        problem: why not.
    """

    held: HeldWrite
    documents: Sequence[str]
    look: Look | None
    problem: UtataneError | None = None


def sentence(wish: Waiting, persona: str, lang: Lang) -> str:
    """Return what a persona would do, for a person."""
    write = wish.held.write
    if wish.held.asked_by == "program" and "note" in write:
        return holding.program_asks(lang, persona, write["note"], wish.held.expires)
    what, name = str(write.get("note") or write["kind"]), str(write.get("name", ""))
    return holding.asks(lang, persona, what, name, wish.documents, wish.held.expires)


def how_to_decide(wish: Waiting, persona: str) -> str:
    """Return the commands that decide on a wish."""
    begin = f"app.py held {shlex.quote(persona)}"
    return f"{begin} --allow {wish.held.id} | {begin} --leave {wish.held.id}"


def settle(tool: Tool[Any], write: Write, *, writer: Writer, carried: Sequence[str]) -> ToolAnswer:
    """Make a change, or hold it where the turn carried foreign text.

    Raises:
        NothingDoneError, UtataneError: neither was done.
    """
    lang = writer.sheet.language
    if not carried or write.is_users_own(writer):
        told = write.carry_out(writer)
        _note(writer, tool)
        return ToolAnswer(told, write.announcement(lang) or tool.announce[lang])
    plain, message_id, look = write.model_dump(mode="json"), writer.evidence[0], write.look(writer)
    wish = HeldWrite(
        id=held_id(message_id, tool.name, plain),
        time=f"{writer.memories.clock.now():{TIME}}",
        message_id=message_id,
        mind=writer.mind,
        carried=list(carried),
        tool=tool.name,
        write=plain,
        base=look.base,
    )
    try:
        kept = _hold(writer.memories, wish, look)
    except (HeldTooLargeError, TooManyHeldError) as error:
        return ToolAnswer(error.sentence(lang), _say("refused", lang))
    announcement = _say("asked", lang) if kept is wish else ""
    return ToolAnswer(holding.waits(lang, names_of(carried)), announcement, held=kept.id)


def _hold(memories: Memories, wish: HeldWrite, look: Look) -> HeldWrite:
    """Keep a wish that somebody can read.

    Raises:
        HeldTooLargeError, TooManyHeldError: nothing was kept.
    """
    if max(len(look.diff), len(json.dumps(wish.write, ensure_ascii=False))) > LARGEST:
        raise HeldTooLargeError(most=LARGEST)
    return memories.held.hold(wish, memories.log.set_aside())


def ask_for_program(memories: Memories, note: AddedTo, text: str) -> Waiting:
    """Hold what another program would add to a note; the log says that it asked.

    Returns:
        the wish; the one that waits already, where it was asked for before.

    Raises:
        TooManyHeldError, UtataneError: nothing was kept.
    """
    tool, write = f"edit_{note}", NoteWrite(note=note, edits=(Edit("", text),))
    with writing(memories.paths):
        wish = memories.held.same(tool, plain := write.model_dump(mode="json"))
        if wish is None:
            asked = memories.log.append("system", "tool", _say("program_asked", memories.sheet().language))
            wish = HeldWrite(
                id=held_id(asked.id, tool, plain),
                time=f"{memories.clock.now():{TIME}}",
                message_id=asked.id,
                tool=tool,
                write=plain,
                asked_by="program",
            )
            memories.held.hold(wish.model_copy(update={"base": write.look(_writer(memories, wish)).base}))
        return next(one for one in waiting(memories) if one.held.id == wish.id)


def waiting(memories: Memories) -> list[Waiting]:
    """Return what waits for an answer, oldest first, as it would change things now."""
    if not memories.paths.held_writes.exists():
        return []
    with suppress(UnwritableError):  # where nothing can be written nobody decides anything either
        _let_go(memories)
    aside = memories.log.set_aside()
    shown = (_shown(memories, one) for one in memories.held.all() if one.message_id not in aside)
    return [one for one in shown if one is not None]


def decide(memories: Memories, held: str, *, allow: bool, shown: str | None = None) -> None:
    """Carry out what a person says to a wish.

    Args:
        memories: the persona's.
        held: the wish's id.
        allow: whether it may be written; if not, it is dropped.
        shown: the base of the change as the person saw it (see `Look`); as it was made, if not given.

    Raises:
        NotHeldError: it does not wait any more.
        HeldChangedError: what it changes is not what was shown; nothing was written, and it waits on.
        UtataneError: it could not be written; it waits on.
    """
    with writing(memories.paths):
        _let_go(memories)
        wish = memories.held.find(held)
        if wish.message_id in memories.log.set_aside():
            raise NotHeldError(held=held, days=KEPT.days)
        lang = memories.sheet().language
        if not allow:
            memories.held.drop([wish.id])
            memories.log.append("system", "tool", _say("left", lang))
            return
        write, writer = _write_of(wish), _writer(memories, wish)
        if write is None:
            raise NotHeldError(held=held, days=KEPT.days)
        try:
            look = write.look(writer)
        except NothingDoneError:  # it says so already: there is nothing left to ask
            memories.held.drop([wish.id])
            return
        asked, wish = wish.base, wish.model_copy(update={"base": look.base})
        if look.base != (asked if shown is None else shown):
            memories.held.put(wish)
            raise HeldChangedError(path=look.path)
        memories.held.put(wish.model_copy(update={"is_begun": True}))  # a killed process must not make it twice
        write.carry_out(writer)
        _note(writer, all_tools().named(wish.tool))
        _tidy(memories, wish, look)


def _note(writer: Writer, tool: Tool[Any] | None) -> None:
    """Note in the audit that a tool has written."""
    memories = writer.memories
    given = Given({tool.name if tool else "unknown": 1}, writer.evidence)
    record(memories.paths, memories.clock.now(), "tool_write", given)


def _tidy(memories: Memories, wish: HeldWrite, look: Look) -> None:
    """Let go of a wish that was written; what fails of that now is made up for when the wishes are next looked at."""
    tool, lang = all_tools().named(wish.tool), memories.sheet().language
    try:
        memories.held.drop([wish.id])
        _follow(memories, look)
        memories.log.append("system", "tool", tool.announce[lang] if tool else wish.tool)
    except UtataneError as error:
        memories.notices.post_error("held", error)


def _let_go(memories: Memories) -> None:
    """Let go of what nobody can decide any more: its message is gone, or its yes was carried out by a process that died."""
    held = memories.held.all()
    aside = memories.log.set_aside()  # what stands aside may come back, and what was wished for there with it
    gone = [one.id for one in held if one.message_id not in aside and memories.log.get(one.message_id) is None]
    begun = [one for one in held if one.is_begun]
    if not gone and not begun and held:
        return
    with writing(memories.paths):
        for wish in begun:
            shown = _shown(memories, wish)
            if shown and shown.look and shown.look.base == wish.base:  # it is as it was: nothing was written
                memories.held.put(wish.model_copy(update={"is_begun": False}))
            else:
                gone.append(wish.id)
        memories.held.drop(gone)


def _follow(memories: Memories, before: Look) -> None:
    """Let the other wishes for the same file be made for what this one has left there: nobody else has changed it."""
    for other in memories.held.all():
        shown = _shown(memories, other)
        if shown and shown.look and shown.look.path == before.path and other.base == before.base:
            memories.held.put(other.model_copy(update={"base": shown.look.base}))


def _shown(memories: Memories, wish: HeldWrite) -> Waiting | None:
    """Return a wish as a person sees it; None if a newer version wrote it."""
    documents, write = names_of(wish.carried), _write_of(wish)
    if write is None:
        return None
    try:
        look = write.look(_writer(memories, wish))
    except NothingDoneError:
        return Waiting(wish, documents, Look("", "", ""))
    except UtataneError as error:
        return Waiting(wish, documents, None, error)
    return Waiting(wish, documents, look)


def _write_of(wish: HeldWrite) -> Write | None:
    """Return the change that is wished for; None if it is none of ours."""
    try:
        return _WRITES.validate_python(wish.write)
    except ValidationError:
        return None


def _writer(memories: Memories, wish: HeldWrite) -> Writer:
    is_program = wish.asked_by == "program"
    return Writer(memories, memories.sheet(), wish.mind, (wish.message_id,), is_allowed=True, is_program=is_program)
