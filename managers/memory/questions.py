"""Open questions: what the persona wonders about, from being found to being answered.

`memory/open_questions.json` holds them whole. `internal_state.json` shows the open ones as the
specification does (see `inner_state.py`); that is a mirror, so that undoing a dream need not undo
the minutes that were talked since.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Literal

from pydantic import Field

from managers.memory.confidence import day_of
from managers.memory.entry_files import EntryList, EntryStore, shelve
from managers.memory.json_documents import TIME, Apply, Remembered, entries_of, short_id
from managers.storage.clock import Clock
from managers.storage.paths import PersonaPaths

MAX_OPEN = 30
"""Nobody wonders about more than this; the least pressing ones are let go."""
KEPT_CLOSED = 200
REST_DAYS = 3
"""Nobody asks the same thing every day; each time it was asked in vain, it rests twice as long."""
_LONGEST_REST = 5


class Question(Remembered):
    """Something that the persona wonders about.

    Attributes:
        status: `open`, `resolved` (answered), `dropped` (let go for more pressing ones).
        answer, answer_evidence: what answered it, and where that was said.
        about: the entity that the question is about, if any.
        asked: when the persona last asked it in a conversation.
        times_asked: how often it has; nobody who gave no answer is asked again at the same pace.
        due: the day (ISO) from which on it can be answered: before it nobody is asked; empty: at once.
    """

    topic: str
    context: str = ""
    priority: float = Field(0.5, ge=0, le=1)
    status: Literal["open", "resolved", "dropped"] = "open"
    created_at: str = ""
    closed_at: str = ""
    answer: str = ""
    answer_evidence: list[str] = Field(default_factory=list)
    about: str = ""
    asked: str = ""
    times_asked: int = 0
    due: str = ""

    def is_due(self, today: date) -> bool:
        return (day_of(self.due) or today) <= today  # where there is none, or nobody can read it


class Questions(EntryList[Question]):
    """The questions as they stand in their file, and pure changes of them."""

    @property
    def open(self) -> list[Question]:
        """The open ones, most pressing first."""
        return sorted((q for q in self.entries if q.status == "open"), key=lambda q: (-q.priority, q.created_at))

    def with_one(self, question: Question) -> Questions:
        """Return them with one more; one on the same topic that is open already is not asked twice."""
        named = question.model_copy(update={"id": question.id or short_id("q_", question.topic, *question.evidence)})
        topic = _plain(named.topic)
        if any(q.id == named.id or (q.status == "open" and _plain(q.topic) == topic) for q in self.entries):
            return self
        return _bounded(Questions([named, *self.entries], self.odd), named.created_at)

    def resolved(self, question_id: str, *, answer: str, evidence: Sequence[str], when: str) -> Questions:
        return self.edited(
            question_id, status="resolved", answer=answer, answer_evidence=list(evidence), closed_at=when
        )

    def let_go(self, question_id: str, when: str) -> Questions:
        """Return them with an open one let go; any other stays as it is."""
        question = self.get(question_id)
        if question is None or question.status != "open":
            return self
        return self.edited(question_id, status="dropped", closed_at=when)

    def asked(self, question_id: str, when: str) -> Questions:
        question = self.get(question_id)
        return self.edited(question_id, asked=when, times_asked=question.times_asked + 1 if question else 1)

    def _divided(self) -> tuple[list[Question], list[Question]]:
        closed, older = shelve([q for q in self.entries if q.status != "open"], KEPT_CLOSED)
        return [*self.open, *closed], older


class QuestionStore(EntryStore[Questions, Question]):
    """The open questions of a persona."""

    def __init__(self, paths: PersonaPaths, clock: Clock, apply: Apply | None = None) -> None:
        path = paths.memory / "open_questions.json"
        super().__init__(paths, path, clock, apply, lambda value: Questions(*entries_of(Question, value)))

    def open(self) -> list[Question]:
        return self.load().open

    def due(self) -> list[Question]:
        """Return the open ones that can be answered already, most pressing first: what the persona wonders about now."""
        today = self._clock.now().date()
        return [question for question in self.open() if question.is_due(today)]

    def resolve(
        self, entry_id: str, *, author: str, reason: str, answer: str = "", evidence: Sequence[str] = ()
    ) -> None:
        when = self._clock.now().strftime(TIME)
        self.change(
            lambda qs: qs.resolved(entry_id, answer=answer, evidence=evidence, when=when),
            author=author,
            reason=reason,
            evidence=evidence,
        )

    def to_ask(self, limit: int = 3) -> list[Question]:
        """Return the open questions that a conversation may bring up: those that are due and were not asked lately."""
        now = self._clock.now()
        return [question for question in self.due() if not _asked_lately(question, now)][:limit]

    def note_asked(self, reply: str, *, author: str) -> list[Question]:
        """Note which open questions a reply of the persona asks: it names the topic and asks something."""
        if not any(mark in reply for mark in "?？"):
            return []
        folded = _plain(reply)
        asked = [question for question in self.to_ask(MAX_OPEN) if _plain(question.topic) in folded]
        for question in asked:
            self.mark_asked(question.id, author=author)
        return asked

    def mark_asked(self, question_id: str, *, author: str) -> None:
        """Note that the persona has asked a question in a conversation."""
        when = self._clock.now().strftime(TIME)
        self.change(lambda qs: qs.asked(question_id, when), author=author, reason="asked")

    def add(self, question: Question, *, author: str, reason: str) -> None:
        created = question.created_at or self._clock.now().strftime(TIME)
        whole = question.model_copy(update={"created_at": created})
        self.change(lambda qs: qs.with_one(whole), author=author, reason=reason, evidence=question.evidence)


def _asked_lately(question: Question, now: datetime) -> bool:
    try:
        asked = datetime.fromisoformat(question.asked)
    except ValueError:  # never
        return False
    return abs(now - asked) < timedelta(days=REST_DAYS * 2 ** min(max(question.times_asked, 1) - 1, _LONGEST_REST))


def _bounded(questions: Questions, when: str) -> Questions:
    pinned = sum(question.is_pinned for question in questions.open)
    loose = [question for question in questions.open if not question.is_pinned]
    let_go = {question.id for question in loose[max(0, MAX_OPEN - pinned) :]}
    dropped = {"status": "dropped", "closed_at": when}
    return Questions([q.model_copy(update=dropped) if q.id in let_go else q for q in questions.entries], questions.odd)


def _plain(topic: str) -> str:
    return "".join(topic.split()).casefold()
