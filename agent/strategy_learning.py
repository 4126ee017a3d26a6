"""Learning from how an answer is taken: with thanks, a complaint, a correction, made anew, or rewritten.

It happens after the turn, off the user's path, and costs nothing where nothing was said of the answer.
"""

from dataclasses import dataclass

from agent.errors import NothingToAnswerError
from agent.exchange import exchange_of
from agent.memories import Memories
from agent.prompts.strategies import mitigation
from agent.prompts.system_prompt import is_apart
from agent.strategy_advisor import kind_of
from managers.language.reading.concern import find_concern
from managers.language.reading.help_given import asks_for_help, steps_of, traits_of
from managers.language.reading.reactions import OPPOSITE, faults_mended, read_reaction
from managers.language.reading.reading import Reading, read
from managers.language.words import content_words_as_written
from managers.memory.errors import MessageNotFoundError
from managers.memory.json_documents import TIME
from managers.memory.messages import Message
from managers.memory.strategies import DecompositionPattern, FailurePattern, Strategies

AUTHOR = "utatane"
LEARNED = "learned"
"""The reason, in the history, of what was learned from how an answer was taken."""
_LOOKED_AT, _RECENT = 10, 3
_MOST_INDICATORS = 8


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the answer to a request was taken: whether it helped, what was wrong with it, and which message told so."""

    request: Message
    answer: Message
    helped: bool
    faults: tuple[str, ...] = ()
    told_in: str = ""


def learn_from_message(memories: Memories, message: Message) -> None:
    """Learn from what a message of the user's says of the answer before it."""
    said = [one for one in memories.log.thread(_LOOKED_AT, message.id) if one.role != "system"]
    if not said or said[-1].role != "persona" or is_apart(said[-1].time, message.time):
        return
    own = [one.text for one in said if one.role == "user"][-_RECENT:]
    reaction = read_reaction(read(message.text, memories.sheet().language), said[-1].text, own)
    if reaction is not None and (request := _request_of(memories, said[-1])) is not None:
        _learn(memories, Outcome(request, said[-1], reaction.helped, reaction.faults, message.id))


def learn_from_regeneration(memories: Memories, request: Message, answer: Message) -> None:
    """Learn that somebody wanted another answer; one that was cut off says nothing."""
    if not (answer.broken_off or answer.stopped):
        _learn(memories, Outcome(request, answer, helped=False))


def learn_from_edit(memories: Memories, answer: Message, text: str) -> None:
    """Learn from the form that somebody gave an answer; a slip that is mended says nothing."""
    request = _request_of(memories, answer)
    if request is None:
        return
    read_request = read(request.text, memories.sheet().language)
    faults = faults_mended(traits_of(answer.text, read_request), traits_of(text, read_request))
    if faults:
        _learn(memories, Outcome(request, answer, helped=False, faults=faults))


def _request_of(memories: Memories, answer: Message) -> Message | None:
    try:
        return exchange_of(memories.log, answer.id).message
    except (NothingToAnswerError, MessageNotFoundError):  # of its own accord, or gone by now
        return None


def _learn(memories: Memories, outcome: Outcome) -> None:
    """Note an outcome as one change; not twice for one message, and nothing of grave moments."""
    request = read(outcome.request.text, memories.sheet().language)
    if not asks_for_help(request) or find_concern(outcome.request.text):
        return
    ids = [outcome.request.id, outcome.answer.id, *([outcome.told_in] if outcome.told_in else [])]
    tried = _as_pattern(memories, outcome, request, ids)
    complaints = _complaints(memories, outcome, request, ids)

    def with_outcome(known: Strategies) -> Strategies:
        if outcome.told_in and any(outcome.told_in in one.evidence for one in known.entries):
            return known
        learned = known.tried(tried, memories.advisor.belongs_to(known, tried), helped=outcome.helped)
        for one in complaints:
            learned = learned.complained(one, OPPOSITE.get(one.pattern, ""))
        return learned

    memories.strategies.change(with_outcome, author=AUTHOR, reason=LEARNED, evidence=ids)


def _as_pattern(memories: Memories, outcome: Outcome, request: Reading, ids: list[str]) -> DecompositionPattern:
    """Return how a request was answered; the steps of an answer that was made of foreign text are not ours to repeat."""
    when, answer = f"{memories.clock.now():{TIME}}", outcome.answer
    return DecompositionPattern(
        kind="decomposition",
        query_pattern=kind_of(outcome.request.text),
        subtasks=[] if answer.foreign else steps_of(answer.text),
        strategy=list(traits_of(answer.text, request)),
        evidence=ids,
        mind=answer.mind,
        created_at=when,
        updated_at=when,
    )


def _complaints(memories: Memories, outcome: Outcome, request: Reading, ids: list[str]) -> list[FailurePattern]:
    when, lang = f"{memories.clock.now():{TIME}}", memories.sheet().language
    words = list(content_words_as_written(kind_of(request.text)).values())[:_MOST_INDICATORS]
    return [
        FailurePattern(
            kind="failure",
            pattern=fault,
            indicators=words,
            mitigation=mitigation(lang, fault),
            evidence=ids,
            mind=AUTHOR,
            created_at=when,
            updated_at=when,
        )
        for fault in outcome.faults
    ]
