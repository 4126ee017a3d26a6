"""The nodes of a turn: short verbs, each calling one manager."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from typing import Literal

from langgraph.runtime import Runtime

from agent.approval import settle
from agent.audience import asking_of, other_hits
from agent.events import Failed, Held, Noticed, Recalled, Received, Replied, Speaking, Thinking, ToolUsed, Unsaid
from agent.minds.errors import ContextTooLongError, EmptyAnswerError
from agent.minds.protocol import Mind
from agent.own_lines import own_pieces
from agent.present import OF_CONCERN, locale_of
from agent.provenance import with_recalled
from agent.recall_planning import plan_with_model
from agent.retrieval import in_sight, is_said_since, retrieve, with_shared
from agent.state import Spoken, Surroundings, TurnState, is_first_answer
from agent.tool_room import with_exchange
from agent.tools.context import ToolContext
from agent.turn_log import announce, answer, hear
from managers.language.emotion import read_emotion
from managers.language.reading.concern import find_concern, help_lines
from managers.memory.emotions import NEGATIVE
from managers.memory.messages import Message
from managers.mind import (
    Asking,
    ChatTurn,
    Concern,
    EmotionReading,
    Grounds,
    ReasoningPiece,
    ReplyRequest,
    TakenBack,
    TextPiece,
    ToolCall,
)
from managers.recall.hits import Hit
from managers.recall.question.planner import RecallPlan
from managers.storage.errors import Notice, UtataneError
from managers.usage.errors import CapReachedError, stands_in

MAX_TOOL_ROUNDS = 5
"""A mind that still wants tools after this many rounds must answer with what it has."""

Around = Runtime[Surroundings]


def receive(state: TurnState, runtime: Around) -> TurnState:
    """Put the user's message on disk before anything else happens."""
    around, window = runtime.context, state["window"]
    given = state.get("message")
    greeting, message = (None, given) if given else hear(state, around)
    around.emit(Received(message, greeting))
    return {
        "message": message,
        "branch": around.memories.log.current_branch() if given else message.branch,
        "window": [greeting, *window] if greeting else window,
        "exchange": [],
        "rounds": 0,
        "said": "",
        "error": None,
        "reply": None,
        "held": (),
    }


def perceive(state: TurnState, runtime: Around) -> TurnState:
    """Read the emotion and any concern, locally; the inner life moves while memories are looked for."""
    around, message = runtime.context, state["message"]
    kind = find_concern(message.text)
    reading = read_emotion(message.text, [around.sheet.persona])
    emotion = EmotionReading(reading.emotion, reading.confidence)
    if kind and emotion.emotion not in NEGATIVE:
        emotion = EmotionReading(OF_CONCERN[kind], reading.confidence)
    lang, threshold = around.sheet.language, around.settings.conversation.light_drive_threshold
    drive = around.spare(partial(around.memories.inner_life.moved_by, lang, threshold, around.kept)) or ""
    felt: Future[None] = Future()
    if around.off_record:
        felt.set_result(None)
    elif (state.get("instead_of") and not state.get("reworded")) or not is_first_answer(state):  # it was felt then
        felt = around.beside(around.memories.inner_state.touch)
    else:
        felt = around.beside(partial(around.memories.inner_life.perceive, message, emotion, around.clock.now()))
    concern = Concern(kind, help_lines(locale_of(state, around), kind)) if kind else None
    return {"emotion": emotion, "concern": concern, "drive": drive, "felt": felt}


def retrieval_node(state: TurnState, runtime: Around) -> TurnState:
    """Decide whether to search and with what query; search the indexes."""
    around, message = runtime.context, state["message"]
    if not around.settings.recall.enable_auto_retrieval or state["exchange"]:  # what was to go need not be looked for
        return {"query": "", "hits": (), "recall_wanted": False}
    asked = around.spare(partial(around.memories.recall.plan, message.text, state["window"]))
    plan = asked or RecallPlan(wanted=False, query="")
    if around.small_mind is not None and around.refusal(message) is None:
        plan, notice = plan_with_model(around.small_mind, around.sheet, message.text, state["window"], plan)
        if notice is not None:
            around.emit(Noticed(notice))

    def recalled() -> Sequence[Hit]:  # what a small prompt has no room for is recalled, though it belongs to this talk
        shown = in_sight(state["window"], around.in_sight)
        company = state.get("company")
        heard = [*shown, message, *(company.told if company else ())]
        most = around.settings.recall.max_hits
        with asking_of(around.memories, [one.id for one in (*state["window"], *heard)]):
            own = retrieve(around.memories, around.sheet, message.text, plan, heard, most)
        found = other_hits(around.kept, with_shared(around.memories, own, plan, leaves=around.leaves))
        return [hit for hit in found if not (state.get("instead_of") and is_said_since(hit, message))]

    hits = around.spare(recalled) or ()
    runtime.context.emit(Recalled(plan.query, hits))
    return {"query": plan.query, "hits": hits, "recall_wanted": plan.wanted}


def reply(state: TurnState, runtime: Around) -> TurnState:
    """Let the mind think and speak; its pieces are shown as they come."""
    around = runtime.context
    request = state["request"]
    given = with_recalled(request.given, state["grounds"])
    request = replace(request, given=given)
    if state["rounds"] >= MAX_TOOL_ROUNDS:
        request = replace(request, tools=())
    stand_in = None if state["said"].strip() else around.stand_in  # nobody takes over in the middle of a reply
    if (refusal := around.refusal(state["message"])) is not None:
        spoken = Spoken(error=refusal)
    else:
        speaker = state.get("speaker", around.mind)
        spoken = _speak(request, state, around, speaker, stand_in)
        if isinstance(spoken.error, ContextTooLongError) and state["exchange"] and request.tools:
            # There is more room without them, and by now it is known how the model counts.
            spoken = _speak(replace(request, tools=()), state, around, speaker, stand_in)
    exchange = [*state["exchange"], ChatTurn("persona", spoken.text, tool_calls=tuple(spoken.calls))]
    exchange = list(state["exchange"]) if spoken.error else exchange
    calls = () if around.cancel.is_set() or spoken.error else tuple(spoken.calls)
    return {
        "said": state["said"] + spoken.text,
        "speaker": spoken.speaker or around.mind,
        "grounds": state["grounds"] if spoken.grounds is None else spoken.grounds,
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
    state: TurnState,
    around: Surroundings,
    speaker: Mind,
    stand_in: Callable[[], Mind] | None = None,
) -> Spoken:
    spoken, joint = Spoken(speaker=speaker), _joint(state["said"])
    since = request.since if isinstance(speaker, Asking) else ()
    asked = with_exchange(request, since, state["exchange"], speaker)
    try:
        for piece in own_pieces(speaker.reply(asked, around.cancel), request):
            match piece:
                case TextPiece(text):
                    text, joint = joint + text, ""
                    spoken.pieces.append(text)
                    around.emit(Speaking(text))
                case TakenBack():
                    spoken.pieces.clear()
                    joint = _joint(state["said"])
                    around.emit(Unsaid())
                case ReasoningPiece(text):
                    around.emit(Thinking(text))
                case ToolCall():
                    spoken.calls.append(piece)
                case Grounds(hits):
                    spoken.grounds = hits
                case Notice():
                    around.emit(Noticed(piece))
                case _:  # usage is counted by the mind's own ledger
                    pass
    except CapReachedError as error:
        if stand_in is not None:
            around.emit(Noticed(stands_in(error)))
            return _speak(request, state, around, stand_in())
        spoken.error = error
    except UtataneError as error:
        spoken.error = error
    return spoken


def after_reply(state: TurnState) -> Literal["use_tools", "compose", "remember"]:
    """Use the tools that the mind asked for, or finish; a prompt too long is made once more, with what a refusal told of it."""
    if isinstance(state["error"], ContextTooLongError) and state["rounds"] == 1:
        return "compose"
    return "use_tools" if state["calls"] and state["rounds"] <= MAX_TOOL_ROUNDS else "remember"


def use_tools(state: TurnState, runtime: Around) -> TurnState:
    """Run the tools; the log gets an announcement, never a result. What they would write waits where foreign text stands."""
    around = runtime.context
    request = state["request"]
    asked, since = state["message"].id, request.company.told if request.company else ()
    context = ToolContext(
        around.sheet,
        around.mind,
        around.settings,
        around.memories,
        around.clock,
        (asked,),
        handed=tuple(state["grounds"]),
        withheld=around.kept,
        leaves=around.leaves,
        shown=frozenset((asked, *(one.id for one in (*in_sight(state["window"], state["in_sight"]), *since)))),
    )
    answers, carried, held, grounds = [], state["carried"], state["held"], list(state["grounds"])
    for call in state["calls"]:
        settling = partial(settle, writer=context.writer, carried=carried)
        used = around.tools.use(call, context, around.sheet.language, settling, request.tools)
        if used.announcement:
            around.emit(ToolUsed(announce(state, around, used.announcement)))
        if used.held:
            around.emit(Held(used.held))
            held = (*held, used.held)
        carried = tuple(dict.fromkeys([*carried, *used.carried]))
        grounds += used.hits
        answers.append(ChatTurn("tool", used.text, tool_call_id=call.id))
    return {
        "exchange": [*state["exchange"], *answers],
        "calls": (),
        "carried": carried,
        "held": held,
        "grounds": grounds,
    }


def remember(state: TurnState, runtime: Around) -> TurnState:
    """Put the reply on disk, marked if it was stopped or broke off; keep beside it what was recalled."""
    around = runtime.context
    error = state["error"]
    message: Message | None = None
    if state["said"].strip():
        message = answer(state, around, state.get("speaker", around.mind).name)
        if not around.off_record:
            if state.get("instead_of"):
                around.spare(partial(around.memories.held.drop_of, [state["message"].id], but=state["held"]))
            keep, made = around.memories.recall_log.append, around.clock.now()
            around.spare(partial(keep, message, state["query"], state["grounds"], time=made))
            around.spare(partial(around.memories.audiences.carry, message, _made_from(state)))
        runtime.context.emit(Replied(message, state["grounds"], 1000 * (around.clock.monotonic() - around.started)))
    if error is not None:
        runtime.context.emit(Failed(error))
    return {"reply": message}


def _made_from(state: TurnState) -> frozenset[str]:
    """Return the messages that an answer may repeat: what it answers, what stood in sight of a model, what was recalled."""
    reads = isinstance(state.get("speaker"), Asking)
    company, seen = state["request"].company, in_sight(state["window"], state["in_sight"]) if reads else []
    told = [one.id for one in (state["message"], *seen, *(company.told if company and reads else ()))]
    return frozenset([*told, *(one for hit in state["grounds"] for one in hit.message_ids)])
