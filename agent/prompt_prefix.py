"""What of a prompt stands from message to message: who the persona is, whom it talks to, its notes; and what does not fit.

It depends on the files and the model alone, so that a server can keep what it has read of it, and the page can tell beforehand
what there is no room for.
"""

from collections.abc import Callable
from typing import Final

from agent.addressing import facts_of_user, with_name
from agent.memories import Memories
from agent.minds.protocol import Mind
from agent.minds.tokens import answer_room
from agent.minds.tool_schemas import affordable, tools_tokens
from agent.prompt_parts import PREFIX_SHARE, Composed, Part, compose_parts, text_part
from agent.prompts import system_prompt as words
from agent.prompts.quoting import plain
from agent.prompts.system_prompt import PartName
from agent.provenance import ForeignWords
from agent.tools import all_tools
from managers.memory.audience import NOTHING_KEPT, Kept
from managers.memory.entities import Fact
from managers.memory.notes import NoteKind
from managers.mind import Asking, Sheet
from managers.storage.errors import Notice
from managers.storage.texts import Texts

_say = Texts("notices/minds")

_LEAST: Final = 1 / 16
"""So much of the room is kept for each smaller part, whatever the larger ones would take."""
_TOLD: Final[tuple[PartName, ...]] = ("persona", "core_memory", "notepad")


def prompt_room(mind: Mind, sheet: Sheet) -> int:
    """Return the tokens that a prompt may take, beside the tools and the answer."""
    offered = all_tools().specs(sheet.language) if mind.takes_tools else ()
    tools = affordable(offered, mind.context_tokens, mind.count_tokens)
    return mind.context_tokens - answer_room(mind.context_tokens) - tools_tokens(tools, mind.count_tokens)


def prefix_parts(
    memories: Memories,
    mind: Mind,
    sheet: Sheet,
    read: Callable[[NoteKind], str],
    foreign: ForeignWords,
    *,
    beside: int = 0,
    kept: Kept = NOTHING_KEPT,
) -> Composed:
    """Return what stands in every prompt, as much of it as fits.

    Args:
        memories: the persona's.
        mind: who reads it.
        sheet: who the persona is, and whom it talks to.
        read: returns a note's text.
        foreign: sets apart what is made of foreign words.
        kept: what the mind must not be given.
        beside: tokens that must find room beside it, as far as that leaves it half: what a grave moment needs.
    """
    lang, room = sheet.language, prompt_room(mind, sheet)
    most = min(int(room * PREFIX_SHARE), max(room // 2, room - beside))
    none: list[Fact] = []
    facts = memories.spare("user", lambda: facts_of_user(memories.entities, sheet, kept), none)
    no_lore: tuple[list[str], list[str]] = ([], [])
    before, after = memories.spare(
        "lorebook", lambda: memories.lore.standing(sheet, mind.count_tokens, foreign), no_lore
    )
    parts = [
        text_part("guidance", words.guidance(lang)),
        Part("world_before", before),
        text_part("persona", sheet.system_prompt),
        Part("world", after),
        Part("user", words.user(lang, sheet, [foreign.item(*one) for one in words.known_facts(lang, facts)])),
        text_part("core_memory", plain(read("core_memory")), rest=words.not_here(lang)),
        text_part("notepad", plain(read("notepad")), keep="last", rest=words.not_here(lang)),
    ]
    return compose_parts(parts, most, lang, mind.count_tokens, whole=room, least=_LEAST)


def what_is_cut(memories: Memories, mind: Mind) -> list[Notice]:
    """Return what a person should know of what a mind would not read, before anything is said."""
    if not isinstance(mind, Asking):
        return []
    sheet = with_name(memories.sheet(), memories)
    foreign = ForeignWords(memories.provenance, sheet)
    return cut_notices(prefix_parts(memories, mind, sheet, lambda kind: memories.notes.read(kind).text, foreign), mind)


def cut_notices(made: Composed, mind: Mind) -> list[Notice]:
    """Return what a person should know of what does not fit."""
    facts = {"model": mind.name, "tokens": mind.context_tokens}
    return [
        _say.notice(f"cut-{name}", "info", lines=made.missing[name], **facts)
        for name in _TOLD
        if made.missing.get(name)
    ]
