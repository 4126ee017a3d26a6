"""The node that carries out a wish to forget before the mind speaks: whether words go is no model's choice.

A wish that is read with certainty (`read_forget_wish`) is done, and the mind is told; a vague one is left to the tool.
What went stands in no prompt from then on, nor do the wish's own words for it, nor the answer that was given to it.
"""

from collections.abc import Sequence
from dataclasses import replace

from langgraph.runtime import Runtime

from agent.events import ToolUsed
from agent.state import Surroundings, TurnState
from agent.tools.context import ToolContext
from agent.tools.forget_tool import TOOLS, Forgetting
from agent.turn_log import announce
from managers.language.reading.forget_wishes import asks_to_forget, read_forget_wish
from managers.language.words import detect_language
from managers.memory.forgotten import wishes_left
from managers.memory.log import ConversationLog
from managers.memory.messages import Message
from managers.mind import Asking, ChatTurn
from managers.storage.errors import UtataneError
from managers.storage.texts import Texts

_say = Texts("prompts/forgetting")


def forget(state: TurnState, runtime: Runtime[Surroundings]) -> TurnState:
    """Do what a wish to forget asks for, if it is read with certainty; leave what is gone out of the window."""
    around, message, log = runtime.context, state["message"], runtime.context.memories.log
    if around.off_record:
        return {}
    if read_forget_wish(message.text) is None:
        return {"window": without_wishes(state["window"], log)}
    told, is_done = _carried_out(state, around)
    window = without_wishes([one for one in state["window"] if log.get(one.id) is not None], log)
    if not isinstance(around.mind, Asking):
        return {"window": window, "exchange": [ChatTurn("tool", told, tool_call_id=f"forget-{message.id}")]}
    lang = around.sheet.language
    note = _say("told" if is_done else "not_done", lang, told=told)
    said = replace(message, text=_say("wish", detect_language(message.text, lang))) if is_done else message
    return {"window": window, "message": said, "exchange": [ChatTurn("user", note)]}


def _carried_out(state: TurnState, around: Surroundings) -> tuple[str, bool]:
    """Forget what the wish names; return what the mind is told, and whether it was done."""
    lang, (tool,) = around.sheet.language, TOOLS
    evidence = (state["message"].id,)
    context = ToolContext(around.sheet, around.mind, around.settings, around.memories, around.clock, evidence)
    try:
        told = Forgetting().carry_out(context.writer)
    except UtataneError as error:
        return error.sentence(lang), False
    around.emit(ToolUsed(announce(state, around, tool.announce[lang])))
    return told, True


def without_wishes(window: Sequence[Message], log: ConversationLog) -> list[Message]:
    """Return the turns before a message without the words by which granted wishes name what is gone."""
    if not any(one.role == "user" and asks_to_forget(one.text) for one in window):
        return [*window]
    left = wishes_left(log)
    answers = {one for ids in left.values() for one in ids}
    return [replace(one, text=_plain(one)) if one.id in answers and one.role != "system" else one for one in window]


def _plain(message: Message) -> str:
    return _say("wish" if message.role == "user" else "granted", detect_language(message.text))
