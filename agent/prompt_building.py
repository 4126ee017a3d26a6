"""The node that makes the prompt: what stands from message to message first, what is new right before the newest one."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from functools import cache, partial

from langgraph.runtime import Runtime

from agent.addressing import called
from agent.attachments import Attached, sent_lately, sent_with
from agent.audience import other_messages
from agent.minds.protocol import Mind
from agent.minds.tokens import turn_tokens
from agent.present import present_parts, weighing
from agent.prompt_parts import (
    TURNS_SHARE,
    Composed,
    Part,
    compose_parts,
    cut_passage,
    fit_message,
    fit_turns,
    tokens_of,
)
from agent.prompt_prefix import cut_notices, prefix_parts, prompt_room
from agent.prompts import company as company_words
from agent.prompts import holding, quoting, strategies
from agent.prompts import system_prompt as words
from agent.prompts.system_prompt import is_apart, mark
from agent.provenance import ForeignWords, files_of, given_in
from agent.retrieval import in_sight, not_in_sight
from agent.state import Surroundings, TurnState
from managers.memory.audience import NOTES
from managers.memory.log import ConversationLog
from managers.memory.messages import PROGRAM, Message
from managers.memory.notes import NoteKind
from managers.mind import Advice, Asking, ChatTurn, OpenQuestion, ReplyRequest
from managers.recall.hits import Hit
from managers.storage.errors import Lang

_LONGEST_TOKEN = 16
"""Characters; no text has longer ones all through."""
_EARLIER_TOKENS = 4000
"""What was sent with an earlier message and is still asked about takes no more than this of every prompt."""
_LEAST_RECALLED = 1 / 4
"""So much of the room for what is recalled is kept for documents, whatever was said would take."""
_STEPS = 16
"""What is left for older days is counted in such parts of a prompt, so that it does not change with every message."""
_MOST_MESSAGES, _MOST_DAYS = 30, 12
_BEFORE, _AFTER = 1, 3
_PAUSE = timedelta(minutes=20)
"""What is said after a longer silence does not go on with what was said before it."""


def compose(state: TurnState, runtime: Runtime[Surroundings]) -> TurnState:
    """Make the prompt from parts with a token budget each; what is new with each message stands before the newest one."""
    around, mind, sheet = runtime.context, runtime.context.mind, runtime.context.sheet
    lang, count, whole = sheet.language, mind.count_tokens, prompt_room(mind, sheet)
    around.spare(state["felt"].result)
    window = [m for m in state["window"] if m.role != "system"]
    foreign = ForeignWords(around.memories.provenance, sheet, quotes=isinstance(mind, Asking))
    weighs = None if state["concern"] else weighing(state, around)
    grave = weighs is not None or state["concern"] is not None
    present = compose_parts(present_parts(state, around, window, weighs), whole, lang, count)
    said = replace(_as_turn(replace(state["message"], origins=()), lang), images=state["attached"].images)
    frame = partial(quoting.frame, lang, called(sheet), has_words=bool(said.text.strip()))
    read = (
        window if isinstance(mind, Asking) else [replace(one, origins=()) for one in window]
    )  # nothing to quote there
    earlier = with_marks([_as_turn(message, lang) for message in read], lang)
    last_words = tokens_of(earlier[-2:], count) if grave else 0
    room = whole - present.tokens - count(frame([""], present=[""])) - tokens_of(_since(state, around), count)
    beside = whole - room + turn_tokens(said, count) + last_words if grave else 0
    stands = _stands(around, beside, foreign)
    state, known = _without_known(state, mind, stands.system)
    said = fit_message(said, room - stands.tokens, count)
    room -= stands.tokens + turn_tokens(said, count)
    lore, told_of_lore = _lore(state, around, window, room - last_words, whole, foreign)
    room -= lore.tokens
    questions = [] if grave else around.memories.inner_life.to_ask(around.spare, around.kept)
    due = _due([foreign.item(*one) for one in words.questions(questions)], room, whole, lang, count)
    room -= due.tokens
    for_turns = min(tokens_of(earlier, count), max(int(TURNS_SHARE * max(room, 0)), min(last_words, room)))
    attached = _with_earlier(state, around)
    files = _files(attached, lang, room - for_turns, count)
    room -= sum(count(file) + 1 for file in files)
    hits, recalled, turns = _talk_and_recalled(state, around, window, earlier, room, for_turns, whole)
    room -= recalled.tokens + tokens_of(turns, count)
    rest, days, advice = _inner_parts(state, around, [*turns, said], room, whole, foreign, silent=grave)
    at_present = [text for part in (present, lore, due, rest) for text in part.present]
    turns = [*turns, replace(said, quoted=frame([*recalled.quoted, *files], present=at_present))]
    system = "\n\n".join(text for text in (stands.system, rest.system) if text)
    shown = in_sight(window, len(turns) - 1)
    heard = [*shown, state["message"], *_heard_beside(state)]
    given = given_in((stands, lore, due, rest), heard, days, attached, sees=mind.can_see)
    request = _request(state, around, system, turns, hits, questions, attached, told_of_lore)
    made: TurnState = {"request": replace(request, given=given, advice=advice), "in_sight": len(shown)}
    _note_talk(state, around, foreign, hits, heard)
    foreign.note(files_of(attached, sees=mind.can_see))
    return {**made, "grounds": [*known, *_handed(hits, recalled)], "carried": tuple(foreign.origins)}


def _stands(around: Surroundings, beside: int, foreign: ForeignWords) -> Composed:
    """Return what stands from message to message; what had to be left out of it is put up for the person."""
    memories, mind = around.memories, around.mind
    read = partial(_note, around)
    stands = prefix_parts(memories, mind, around.sheet, read, foreign, beside=beside, kept=around.kept)
    memories.notices.replace("prompt", cut_notices(stands, mind) if isinstance(mind, Asking) else [])
    return stands


def _without_known(state: TurnState, mind: Mind, standing: str) -> tuple[TurnState, list[Hit]]:
    """Return the turn without the cards that stand in the prompt word for word: the user's own, told twice; and these cards."""
    if not isinstance(mind, Asking):  # it reads no prompt
        return state, []
    cards = [hit for hit in state["hits"] if hit.type == "entity_memory"]
    known = [hit for hit in cards if all(line.removeprefix("- ") in standing for line in hit.text.splitlines())]
    return {**state, "hits": [hit for hit in state["hits"] if hit not in known]}, known


def _due(questions: Sequence[str], room: int, whole: int, lang: Lang, count: Callable[[str], int]) -> Composed:
    """Return what is due to be asked, as much of it as fits; nothing where only the line that stands over it would."""
    listed = [words.one_at_most(lang), *questions] if questions else []
    made = compose_parts([Part("questions", listed)], room, lang, count, whole=whole)
    return made if made.kept.get("questions", 0) > 1 else Composed()


def _talk_and_recalled(
    state: TurnState,
    around: Surroundings,
    window: Sequence[Message],
    earlier: Sequence[ChatTurn],
    room: int,
    for_turns: int,
    whole: int,
) -> tuple[Sequence[Hit], Composed, list[ChatTurn]]:
    """Return what is recalled and not told by the turns, as much of it as fits, and the turns beside it.

    Args:
        state: of the turn.
        around: what it may use.
        window: the messages before the newest one.
        earlier: the same as turns.
        room: tokens for both.
        for_turns: how many of them are kept for the turns.
        whole: the tokens of the whole prompt.
    """
    lang, count = around.sheet.language, around.mind.count_tokens
    slides = len(state["window"]) >= 2 * around.settings.conversation.window_turns
    hits: Sequence[Hit] = state["hits"]
    while True:
        parts = _recalled(hits, state, window, lang)
        recalled = compose_parts(parts, room - for_turns, lang, count, whole=whole, least=_LEAST_RECALLED)
        turns = fit_turns(earlier, room - recalled.tokens, count, slides=slides)
        untold = not_in_sight(hits, in_sight(window, len(turns)))
        if len(untold) == len(hits):
            return hits, recalled, turns
        hits = untold  # what stands among the turns is not told twice, and leaves room for more of them


def _inner_parts(
    state: TurnState,
    around: Surroundings,
    turns: Sequence[ChatTurn],
    room: int,
    whole: int,
    foreign: ForeignWords,
    *,
    silent: bool,
) -> tuple[Composed, Sequence[str], Advice]:
    """Return what moves the persona, how to help, and the days before the turns; which days those are, and the advice."""
    life, settings = around.memories.inner_life, around.settings.conversation
    parts = life.for_prompt(turns, settings, state["drive"], around.spare, foreign, silent=silent, kept=around.kept)
    advice = around.spare(partial(around.memories.advisor.advise, state["message"].text, around.kept)) or Advice()
    parts.append(Part("advice", strategies.advice(around.sheet.language, advice)))
    step = max(1, whole // _STEPS)
    made = compose_parts(parts, room // step * step, around.sheet.language, around.mind.count_tokens, whole=whole)
    told = next((part.items for part in parts if part.name == "episodes"), ())
    return made, [item.partition(": ")[0] for item in told[len(told) - made.kept.get("episodes", 0) :]], advice


def _request(
    state: TurnState,
    around: Surroundings,
    system: str,
    turns: Sequence[ChatTurn],
    hits: Sequence[Hit],
    questions: Sequence[OpenQuestion],
    attached: Attached,
    lore: Sequence[str],
) -> ReplyRequest:
    return ReplyRequest(
        sheet=around.sheet,
        system=system,
        turns=turns,
        message=state["message"],
        now=around.clock.now(),
        hits=hits,
        recall_wanted=state["recall_wanted"],
        notes="\n".join([*(_note(around, kind) for kind in ("core_memory", "notepad")), *lore]),
        emotion=state["emotion"],
        questions=questions,
        tools=around.tools.specs(
            around.sheet.language, writing=not around.off_record, private=not state.get("for_program")
        ),
        concern=state["concern"],
        files=attached.texts,
        witnesses=cache(partial(_witnesses, state, around)),
        itself=cache(partial(around.memories.inner_life.itself, around.spare, around.kept)),
        company=state.get("company"),
        since=_since(state, around),
    )


def _heard_beside(state: TurnState) -> Sequence[Message]:
    """Return what a conversation of several tells beside the turns before the message."""
    company = state.get("company")
    return company.told if company else ()


def _since(state: TurnState, around: Surroundings) -> Sequence[ChatTurn]:
    """Return what several said after the message, for a model that reads turns."""
    sheet, company = around.sheet, state.get("company")
    return company_words.since(sheet.language, company, sheet.persona, called(sheet)) if company else ()


def _recalled(hits: Sequence[Hit], state: TurnState, window: Sequence[Message], lang: Lang) -> list[Part]:
    told, passages = _told_and_passages(hits)
    company, shown = state.get("company"), {one.id for one in window}
    thread = company_words.resumed(lang, company, shown) if company else []
    return [
        Part("thread", thread),
        Part("hits", [words.hit(lang, h) for h in told]),
        Part("knowledge", [words.hit(lang, h) for h in passages]),
    ]


def _witnesses(state: TurnState, around: Surroundings) -> tuple[Message, ...]:
    """Return what was said when what is recalled was; before the message, where that is answered anew."""
    found = around.memories.in_use(around.spare(partial(witnesses, around.memories.log, state["hits"])) or ())
    found = other_messages(around.kept, found)
    return tuple(one for one in found if not state.get("instead_of") or one.time < state["message"].time)


def _as_turn(message: Message, lang: Lang) -> ChatTurn:
    """Return a message of the talk; which files came with it stays known when their text is no longer there."""
    if message.role == "other":
        return company_words.words_of(lang, message)
    if message.role != "user":
        return ChatTurn("persona", message.text, message.time)
    if message.origins:  # an import's, or a program's
        label = holding.made_of(lang, message.origins)
        return ChatTurn("user", "", message.time, quoted=quoting.passage(label, message.text))
    files = [words.file_sent(lang, sent.name) for sent in sent_with(message)]
    return ChatTurn("user", message.text, message.time, quoted="\n".join(files))


def _note_talk(
    state: TurnState, around: Surroundings, foreign: ForeignWords, hits: Sequence[Hit], heard: Sequence[Message]
) -> None:
    """Note whose foreign words come with the talk and with what is recalled for it."""
    if not isinstance(around.mind, Asking):  # it does not read what others say
        heard = [one for one in heard if one.role != "other"]
    foreign.of_hits(hits)
    company = state.get("company")
    foreign.of("", company.resumed.message_ids if company and company.resumed else ())
    foreign.of_messages(heard, sees=around.mind.can_see)
    if state.get("for_program"):
        foreign.note([PROGRAM])


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


def _lore(
    state: TurnState, around: Surroundings, window: Sequence[Message], room: int, whole: int, foreign: ForeignWords
) -> tuple[Composed, list[str]]:
    """Return what of the lorebook the talk calls up, as much of it as fits, and all that stands or is called up."""
    memories, talk = around.memories, [*window, state["message"], *_heard_beside(state)]
    count, sheet = around.mind.count_tokens, around.sheet
    told = around.spare(lambda: memories.lore.called_up(talk, sheet, count, foreign)) or []
    before, after = around.spare(lambda: memories.lore.standing(sheet, count, foreign)) or ([], [])
    return compose_parts([Part("lore", told)], room, sheet.language, count, whole=whole), [*before, *after, *told]


def _note(around: Surroundings, kind: NoteKind) -> str:
    if kind in NOTES and around.kept.holds_file(NOTES[kind]):
        return ""
    return around.spare(lambda: around.memories.notes.read(kind).text) or ""


def with_marks(turns: Sequence[ChatTurn], lang: Lang) -> list[ChatTurn]:
    """Return the turns with a mark before the first, and where a new day begins or hours have passed."""
    marked: list[ChatTurn] = []
    for before, turn in zip([None, *turns], turns, strict=False):
        is_first = before is None or before.time is None
        if turn.time is None or (
            before is not None and before.time is not None and not is_apart(before.time, turn.time)
        ):
            marked.append(turn)
        else:
            own = turn.role == "persona" and not is_first
            marked.append(replace(turn, quoted=f"{mark(lang, turn.time, is_own=own)}\n{turn.quoted}".strip()))
    return marked


def witnesses(log: ConversationLog, hits: Sequence[Hit]) -> tuple[Message, ...]:
    """Return the user's messages behind some memories, with their neighbours, in order; none that was taken back.

    A fact in a memory has lost its day, and "No, it's on Friday" shares no word with what it puts right.
    """
    wanted = list(dict.fromkeys(one for hit in hits for one in hit.message_ids))[:_MOST_MESSAGES]
    days = dict.fromkeys(message.time.date() for message in log.originals(wanted).values())
    return tuple(message for day in sorted([*days][:_MOST_DAYS]) for message in _of_day(log, day, frozenset(wanted)))


def _of_day(log: ConversationLog, day: date, wanted: frozenset[str]) -> list[Message]:
    said = [message for message in log.messages(day, day) if message.role == "user" or message.id in wanted]
    near: set[int] = set()
    for at, message in enumerate(said):
        if message.id in wanted:
            near |= _run(said, at, -1, _BEFORE) | _run(said, at, 1, _AFTER) | {at}
    return [said[at] for at in sorted(near) if said[at].role == "user"]


def _run(said: Sequence[Message], at: int, step: int, count: int) -> set[int]:
    """Return the places of so many neighbours that follow each other without a long pause."""
    found: set[int] = set()
    while len(found) < count and 0 <= at + step < len(said):
        if abs(said[at + step].time - said[at].time) > _PAUSE:
            break
        at += step
        found.add(at)
    return found
