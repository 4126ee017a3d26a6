"""The nodes of a turn: short verbs, each calling one manager."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from functools import cache, partial
from typing import Literal

from langgraph.runtime import Runtime

from agent.addressing import called
from agent.approval import settle
from agent.attachments import Attached, sent_lately, sent_with
from agent.compose import (
    TURNS_SHARE,
    Composed,
    Part,
    compose_parts,
    cut_passage,
    fit_message,
    fit_turns,
    tokens_of,
)
from agent.events import Failed, Held, Noticed, Recalled, Received, Replied, Speaking, Thinking, ToolUsed
from agent.minds.errors import EmptyAnswerError
from agent.minds.fit import turn_tokens
from agent.minds.protocol import Mind
from agent.present import OF_CONCERN, locale_of, present_parts, weighing
from agent.prompt_prefix import cut_notices, prompt_room, standing_parts
from agent.prompts import quoting
from agent.prompts import system_prompt as words
from agent.provenance import documents_of, files_of, still_standing
from agent.recall_planning import plan_with_model
from agent.retrieval import in_sight, is_said_since, not_in_sight, retrieve
from agent.state import Spoken, Surroundings, TurnState
from agent.time_marks import with_marks
from agent.tools.context import ToolContext
from agent.turn_log import announce, answer, hear
from agent.witnesses import witnesses
from managers.language.concern import find_concern, help_lines
from managers.language.emotion import read_emotion
from managers.memory.emotions import NEGATIVE
from managers.memory.messages import Message
from managers.memory.notes import NoteKind
from managers.mind import (
    Asking,
    ChatTurn,
    Concern,
    EmotionReading,
    Grounds,
    ReasoningPiece,
    ReplyRequest,
    TextPiece,
    ToolCall,
)
from managers.recall.hits import Hit
from managers.recall.planner import RecallPlan
from managers.storage.errors import Lang, Notice, UtataneError
from managers.usage.errors import CapReachedError, stands_in

_LONGEST_TOKEN = 16
"""Characters; no text has longer ones all through."""
_EARLIER_TOKENS = 4000
"""What was sent with an earlier message and is still asked about takes no more than this of every prompt."""
MAX_TOOL_ROUNDS = 5
"""A mind that still wants tools after this many rounds must answer with what it has."""

_LEAST_RECALLED = 1 / 4
"""So much of the room for what is recalled is kept for documents, whatever was said would take."""
_STEPS = 16
"""What is left for older days is counted in such parts of a prompt, so that it does not change with every message."""
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
    drive = around.spare(partial(around.memories.inner_life.moved_by, lang, threshold)) or ""
    felt: Future[None] = Future()
    if around.off_record:
        felt.set_result(None)
    elif state.get("instead_of") and not state.get("reworded"):  # it was felt when it was first answered
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
    if around.small_mind is not None:
        plan, notice = plan_with_model(around.small_mind, around.sheet, message.text, state["window"], plan)
        if notice is not None:
            around.emit(Noticed(notice))

    def recalled() -> Sequence[Hit]:  # what a small prompt has no room for is recalled, though it belongs to this talk
        shown = in_sight(state["window"], around.in_sight)
        found = retrieve(around.memories, around.sheet, message.text, plan, [*shown, message])
        return [hit for hit in found if not (state.get("instead_of") and is_said_since(hit, message))]

    hits = around.spare(recalled) or ()
    runtime.context.emit(Recalled(plan.query, hits))
    return {"query": plan.query, "hits": hits, "recall_wanted": plan.wanted}


def compose(state: TurnState, runtime: Around) -> TurnState:
    """Make the prompt from parts with a token budget each; what is new with each message stands before the newest one."""
    around, mind, sheet = runtime.context, runtime.context.mind, runtime.context.sheet
    lang, count, whole = sheet.language, mind.count_tokens, prompt_room(mind, sheet)
    around.spare(state["felt"].result)
    window = [m for m in state["window"] if m.role != "system"]
    weighs = None if state["concern"] else weighing(state, around)
    grave = weighs is not None or state["concern"] is not None
    questions = [] if grave else around.memories.inner_life.to_ask(around.spare)
    present = compose_parts(present_parts(state, around, window, weighs, questions), whole, lang, count)
    said = replace(_as_turn(state["message"], lang), images=state["attached"].images)
    frame = partial(quoting.frame, lang, called(sheet), has_words=bool(said.text.strip()))
    earlier = with_marks([_as_turn(message, lang) for message in window], lang)
    last_words = tokens_of(earlier[-2:], count) if grave else 0
    room = whole - present.tokens - count(frame([""], present=[""]))
    beside = whole - room + turn_tokens(said, count) + last_words if grave else 0
    stands = standing_parts(around.memories, mind, sheet, partial(_note, around), beside=beside)
    around.memories.notices.replace("prompt", cut_notices(stands, mind) if isinstance(mind, Asking) else [])
    room -= stands.tokens
    said = fit_message(said, room, count)
    room -= turn_tokens(said, count)
    for_turns = min(tokens_of(earlier, count), max(int(TURNS_SHARE * max(room, 0)), min(last_words, room)))
    attached = _with_earlier(state, around)
    files = _files(attached, lang, room - for_turns, count)
    room -= sum(count(file) + 1 for file in files)
    slides = len(state["window"]) >= 2 * around.settings.conversation.window_turns
    hits: Sequence[Hit] = state["hits"]
    while True:
        recalled = compose_parts(
            _recalled(hits, lang), room - for_turns, lang, count, whole=whole, least=_LEAST_RECALLED
        )
        turns = fit_turns(earlier, room - recalled.tokens, count, slides=slides)
        untold = not_in_sight(hits, in_sight(window, len(turns)))
        if len(untold) == len(hits):
            break
        hits = untold  # what stands among the turns is not told twice, and leaves room for more of them
    room -= recalled.tokens + tokens_of(turns, count)
    inner = around.memories.inner_life.for_prompt(
        [*turns, said], around.settings.conversation, state["drive"], around.spare, silent=grave
    )
    step = max(1, whole // _STEPS)
    rest = compose_parts(inner, room // step * step, lang, count, whole=whole)
    last = replace(said, quoted=frame([*recalled.quoted, *files], present=[*present.present, *rest.present]))
    turns = [*turns, last]
    request = ReplyRequest(
        sheet=sheet,
        system="\n\n".join(text for text in (stands.system, rest.system) if text),
        turns=turns,
        message=state["message"],
        now=around.clock.now(),
        hits=hits,
        recall_wanted=state["recall_wanted"],
        notes="\n".join(_note(around, kind) for kind in ("core_memory", "notepad")),
        emotion=state["emotion"],
        questions=questions,
        tools=around.tools.specs(lang, writing=not around.off_record),
        concern=state["concern"],
        files=attached.texts,
        witnesses=cache(partial(_witnesses, state, around)),
    )
    shown = in_sight(window, len(turns) - 1)
    carried = _carried(state, around, attached, shown)
    return {"request": request, "grounds": _handed(hits, recalled), "in_sight": len(shown), **carried}


def _recalled(hits: Sequence[Hit], lang: Lang) -> list[Part]:
    told, passages = _told_and_passages(hits)
    return [Part("hits", [words.hit(lang, h) for h in told]), Part("knowledge", [words.hit(lang, h) for h in passages])]


def _witnesses(state: TurnState, around: Surroundings) -> tuple[Message, ...]:
    """Return what was said when what is recalled was; before the message, where that is answered anew."""
    found = around.spare(partial(witnesses, around.memories.log, state["hits"])) or ()
    return tuple(one for one in found if not state.get("instead_of") or one.time < state["message"].time)


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
                case Grounds(hits):
                    spoken.grounds = hits
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
    """Run the tools; the log gets an announcement, never a result. What they would write waits where foreign text stands."""
    around = runtime.context
    asked = state["message"].id
    context = ToolContext(
        around.sheet,
        around.mind,
        around.settings,
        around.memories,
        around.clock,
        (asked,),
        handed=tuple(state["grounds"]),
        shown=frozenset((asked, *(one.id for one in in_sight(state["window"], state["in_sight"])))),
    )
    answers, carried, held, grounds = [], state["carried"], state["held"], list(state["grounds"])
    for call in state["calls"]:
        settling = partial(settle, writer=context.writer, carried=(*carried, *state["carried_before"]))
        used = around.tools.use(call, context, around.sheet.language, settling, writing=not around.off_record)
        if used.announcement:
            around.emit(ToolUsed(announce(state, around, used.announcement)))
        if used.held:
            around.emit(Held(used.held))
            held = (*held, used.held)
        carried = (*carried, *used.carried)
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
            carried = tuple(dict.fromkeys(state["carried"]))
            keep, made = around.memories.recall_log.append, around.clock.now()
            around.spare(partial(keep, message, state["query"], state["grounds"], carried, time=made))
        runtime.context.emit(Replied(message, state["grounds"], 1000 * (around.clock.monotonic() - around.started)))
    if error is not None:
        runtime.context.emit(Failed(error))
    return {"reply": message}


def _as_turn(message: Message, lang: Lang) -> ChatTurn:
    """Return a message of the talk; which files came with it stays known when their text is no longer there."""
    if message.role != "user":
        return ChatTurn("persona", message.text, message.time)
    files = [words.file_sent(lang, sent.name) for sent in sent_with(message)]
    return ChatTurn("user", message.text, message.time, quoted="\n".join(files))


def _carried(state: TurnState, around: Surroundings, attached: Attached, earlier: Sequence[Message]) -> TurnState:
    """Say which foreign text the prompt holds; `earlier` are the messages that stand in it before this one."""
    log, sees = around.memories.recall_log, around.mind.can_see
    before = around.spare(partial(still_standing, earlier, log, sees=sees))
    return {
        "carried": (*documents_of(state["hits"]), *files_of(attached, sees=sees)),
        "carried_before": (log.path.name,) if before is None else before,  # nobody knows: then somebody is asked
    }


def _handed(hits: Sequence[Hit], made: Composed) -> list[Hit]:
    """Return the memories that the prompt has room for: all of them were close enough when they were found."""
    told, passages = _told_and_passages(hits)
    return [*told[: made.kept.get("hits", 0)], *passages[: made.kept.get("knowledge", 0)]]


def _told_and_passages(hits: Sequence[Hit]) -> tuple[list[Hit], list[Hit]]:
    told = [hit for hit in hits if hit.type != "knowledge" and hit.source != "recent"]
    return told, [hit for hit in hits if hit.type == "knowledge"]


def _with_earlier(state: TurnState, around: Surroundings) -> Attached:
    """Return what came with the message, and the texts that came shortly before it."""
    seconds = around.settings.recall.document_seconds
    earlier = around.spare(partial(sent_lately, around.memories.paths, state["window"], seconds=seconds)) or ()
    return replace(state["attached"], texts=(*state["attached"].texts, *earlier))


def _files(attached: Attached, lang: Lang, room: int, count: Callable[[str], int]) -> list[str]:
    """Return the text files of a message, quoted, as much of them as fits; of earlier ones not as much."""
    kept: list[str] = []
    for file in attached.texts:
        room = min(room, _EARLIER_TOKENS) if file.is_earlier else room
        within = file.text[: max(room, 0) * _LONGEST_TOKEN]  # a book is not read whole to be cut to a page
        if cut := cut_passage(words.attachment(lang, file.name, within, earlier=file.is_earlier), room, count):
            kept.append(cut)
            room -= count(cut) + 1
    return kept


def _note(around: Surroundings, kind: NoteKind) -> str:
    return around.spare(lambda: around.memories.notes.read(kind).text) or ""
