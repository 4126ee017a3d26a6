"""The nodes of a turn: short verbs, each calling one manager."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from functools import cache, partial
from typing import Literal

from langgraph.runtime import Runtime

from agent.addressing import with_name
from agent.attachments import Attached
from agent.compose import SYSTEM_SHARE, Part, answer_room, compose_system, fit_turns, text_part
from agent.errors import EmptyAnswerError
from agent.events import Failed, Noticed, Recalled, Received, Replied, Speaking, Thinking, ToolUsed
from agent.minds.language_model.functions import affordable, tools_tokens
from agent.prompts import reply as words
from agent.recall_planning import plan_with_model
from agent.retrieval import retrieve, speaker_of
from agent.state import Spoken, Surroundings, TurnState
from agent.tools.context import ToolContext
from agent.witnesses import witnesses
from managers.language.concern import find_concern, help_lines
from managers.language.emotion import read_emotion
from managers.language.words import detect_language
from managers.memory.messages import Message
from managers.mind import (
    ChatTurn,
    Concern,
    EmotionReading,
    Mind,
    ReasoningPiece,
    ReplyRequest,
    TextPiece,
    ToolCall,
)
from managers.storage.clock import new_id
from managers.storage.errors import Lang, Notice, UtataneError
from managers.usage.errors import CapReachedError, stands_in

MAX_TOOL_ROUNDS = 5
"""A mind that still wants tools after this many rounds must answer with what it has."""

Around = Runtime[Surroundings]


def receive(state: TurnState, runtime: Around) -> TurnState:
    """Put the user's message on disk before anything else happens."""
    around = runtime.context
    message = state.get("message")
    if message is None:
        message = _say(around, "user", speaker_of(around.sheet), state["text"], attachments=state["attached"].paths)
    runtime.context.emit(Received(message))
    return {"message": message, "exchange": [], "rounds": 0, "said": "", "error": None, "reply": None}


def perceive(state: TurnState, runtime: Around) -> TurnState:
    """Read the emotion and any concern, locally; the inner life moves while memories are looked for."""
    around, message = runtime.context, state["message"]
    reading = read_emotion(message.text, [around.sheet.persona])
    emotion = EmotionReading(reading.emotion, reading.confidence)
    felt: Future[None] = Future()
    if around.off_record:
        felt.set_result(None)
    else:
        felt = around.beside(partial(around.memories.inner_life.perceive, message, emotion))
    kind = find_concern(message.text)
    locale = around.settings.page.help_locale or detect_language(message.text, around.sheet.language)
    concern = Concern(kind, help_lines(locale, kind)) if kind else None
    return {"emotion": emotion, "concern": concern, "felt": felt}


def retrieval_node(state: TurnState, runtime: Around) -> TurnState:
    """Decide whether to search and with what query; search the indexes."""
    around, message = runtime.context, state["message"]
    if not around.settings.recall.enable_auto_retrieval:
        return {"query": "", "hits": (), "recall_wanted": False}
    plan = around.memories.recall.plan(message.text, state["window"])
    if around.small_mind is not None:
        plan, notice = plan_with_model(around.small_mind, around.sheet, message.text, state["window"], plan)
        if notice is not None:
            around.emit(Noticed(notice))
    sheet = with_name(around.sheet, around.memories)
    hits = retrieve(around.memories, sheet, message.text, plan, [*state["window"], message])
    runtime.context.emit(Recalled(plan.query, hits))
    return {"query": plan.query, "hits": hits, "recall_wanted": plan.wanted}


def compose(state: TurnState, runtime: Around) -> TurnState:
    """Make the prompt from parts with a token budget each."""
    around, mind, sheet = runtime.context, runtime.context.mind, runtime.context.sheet
    tools = affordable(
        around.tools.specs(sheet.language, writing=not around.off_record), mind.context_tokens, mind.count_tokens
    )
    room = mind.context_tokens - answer_room(mind.context_tokens) - tools_tokens(tools, mind.count_tokens)
    turns = [_as_turn(m) for m in state["window"] if m.role != "system"]
    turns.append(_with_attachments(_as_turn(state["message"]), state["attached"], sheet.language))
    system_room = int(room * SYSTEM_SHARE)
    told = fit_turns(turns, room - system_room, mind.count_tokens)  # what is told word for word in any case
    state["felt"].result()
    inner = around.memories.inner_life.for_prompt(told, around.settings.conversation, sheet.language)
    system = compose_system(_parts(state, around, inner.parts), system_room, sheet.language, mind.count_tokens)
    turns = fit_turns(turns, room - mind.count_tokens(system), mind.count_tokens)
    request = ReplyRequest(
        sheet=sheet,
        system=system,
        turns=turns,
        message=state["message"],
        now=around.clock.now(),
        hits=state["hits"],
        recall_wanted=state["recall_wanted"],
        notes="\n".join(around.memories.notes.read(kind).text for kind in ("core_memory", "notepad")),
        emotion=state["emotion"],
        questions=inner.questions,
        tools=tools,
        concern=state["concern"],
        witnesses=cache(partial(witnesses, around.memories.log, state["hits"])),
    )
    return {"request": request}


def reply(state: TurnState, runtime: Around) -> TurnState:
    """Let the mind think and speak; its pieces are shown as they come."""
    around = runtime.context
    request = replace(state["request"], turns=[*state["request"].turns, *state["exchange"]])
    if state["rounds"] >= MAX_TOOL_ROUNDS:
        request = replace(request, tools=())
    stand_in = None if state["said"].strip() else around.stand_in  # nobody takes over in the middle of a reply
    spoken = _speak(request, runtime, state.get("speaker", around.mind), stand_in, joint=_joint(state["said"]))
    exchange = [*state["exchange"], ChatTurn("persona", spoken.text, tool_calls=tuple(spoken.calls))]
    calls = () if around.cancel.is_set() or spoken.error else tuple(spoken.calls)
    return {
        "said": state["said"] + spoken.text,
        "speaker": spoken.speaker or around.mind,
        "calls": calls,
        "error": _outcome(state, spoken, around),
        "exchange": exchange,
        "rounds": state["rounds"] + 1,
    }


def _joint(said: str) -> str:
    """Return what keeps words said before and after a tool apart."""
    return "\n\n" if said and not said[-1].isspace() else ""


def _outcome(state: TurnState, spoken: Spoken, around: Surroundings) -> UtataneError | None:
    """Return what went wrong, if anything did: no turn ends in silence, and words before a tool may be the whole answer."""
    if isinstance(spoken.error, EmptyAnswerError) and state["said"].strip():
        return None
    has_said = bool((state["said"] + spoken.text).strip())
    if spoken.error is None and spoken.calls and state["rounds"] >= MAX_TOOL_ROUNDS and not has_said:
        return EmptyAnswerError(model=around.mind.name)
    return spoken.error


def _speak(
    request: ReplyRequest,
    runtime: Around,
    speaker: Mind,
    stand_in: Callable[[], Mind] | None = None,
    *,
    joint: str = "",
) -> Spoken:
    spoken = Spoken(speaker=speaker)
    try:
        for piece in speaker.reply(request, runtime.context.cancel):
            match piece:
                case TextPiece(text):
                    text, joint = joint + text, ""
                    spoken.pieces.append(text)
                    runtime.context.emit(Speaking(text))
                case ReasoningPiece(text):
                    runtime.context.emit(Thinking(text))
                case ToolCall():
                    spoken.calls.append(piece)
                case Notice():
                    runtime.context.emit(Noticed(piece))
                case _:  # usage is counted by the mind's own ledger
                    pass
    except CapReachedError as error:
        if stand_in is not None:
            runtime.context.emit(Noticed(stands_in(error)))
            return _speak(request, runtime, stand_in())
        spoken.error = error
    except UtataneError as error:
        spoken.error = error
    return spoken


def after_reply(state: TurnState) -> Literal["use_tools", "remember"]:
    """Use the tools that the mind asked for, or finish."""
    return "use_tools" if state["calls"] and state["rounds"] <= MAX_TOOL_ROUNDS else "remember"


def use_tools(state: TurnState, runtime: Around) -> TurnState:
    """Run the tools; the log gets an announcement, never a result."""
    around = runtime.context
    context = ToolContext(
        around.sheet, around.mind, around.settings, around.memories, around.clock, (state["message"].id,)
    )
    answers = []
    for call in state["calls"]:
        answer = around.tools.use(call, context, around.sheet.language, writing=not around.off_record)
        if answer.announcement:
            runtime.context.emit(ToolUsed(_say(around, "system", "tool", answer.announcement)))
        answers.append(ChatTurn("tool", answer.text, tool_call_id=call.id))
    return {"exchange": [*state["exchange"], *answers], "calls": ()}


def remember(state: TurnState, runtime: Around) -> TurnState:
    """Put the reply on disk, a broken-off one too, marked; keep beside it what was recalled."""
    around = runtime.context
    said, error = state["said"], state["error"]
    message: Message | None = None
    if said.strip():
        broken_off = error is not None or around.cancel.is_set()
        spoke = state.get("speaker", around.mind).name
        message = _say(around, "persona", around.sheet.persona, said, mind=spoke, broken_off=broken_off)
        if not around.off_record:
            for replaced in state.get("replaces", ()):
                around.memories.log.supersede(replaced, None)
            around.memories.recall_log.append(message, state["query"], state["hits"])
        runtime.context.emit(Replied(message, state["hits"], 1000 * (around.clock.monotonic() - around.started)))
    if error is not None:
        runtime.context.emit(Failed(error))
    return {"reply": message}


def _say(
    around: Surroundings,
    role: Literal["user", "persona", "system"],
    speaker: str,
    text: str,
    *,
    attachments: tuple[str, ...] = (),
    mind: str = "",
    broken_off: bool = False,
) -> Message:
    """Append to the log; off the record, make a message that is written nowhere."""
    if not around.off_record:
        return around.memories.log.append(
            role, speaker, text, mind=mind, attachments=attachments, broken_off=broken_off
        )
    time = around.clock.now().replace(microsecond=0)
    return Message(new_id(around.clock, around.rng), time, role, speaker, text, mind, broken_off, attachments)


def _as_turn(message: Message) -> ChatTurn:
    return ChatTurn("user" if message.role == "user" else "persona", message.text, message.time)


def _with_attachments(turn: ChatTurn, attached: Attached, lang: Lang) -> ChatTurn:
    texts = [words.attachment(lang, name, text) for name, text in attached.texts]
    return replace(turn, text="\n\n".join([turn.text, *texts]).strip(), images=attached.images)


def _parts(state: TurnState, around: Surroundings, inner: Sequence[Part]) -> list[Part]:
    sheet, lang, hits = around.sheet, around.sheet.language, state["hits"]
    told = [h for h in hits if h.type != "knowledge" and h.source != "recent"]
    passages = [h for h in hits if h.type == "knowledge"]
    concern = state["concern"]
    return [
        text_part("guidance", words.guidance(lang, around.clock.now())),
        text_part("persona", sheet.system_prompt),
        text_part("concern", words.concern(lang, concern) if concern else ""),
        text_part("core_memory", around.memories.notes.read("core_memory").text),
        text_part("notepad", around.memories.notes.read("notepad").text, keep="last"),
        text_part("user", words.user(lang, sheet.user_name, sheet.user_profile)),
        Part("hits", [words.hit(lang, h) for h in told]),
        Part("knowledge", [words.hit(lang, h) for h in passages]),
        *inner,
    ]
