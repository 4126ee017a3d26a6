"""What a mind is asked in a night, task by task, and what becomes of its answers and failures.

A failed task leaves the others standing. Nothing here writes: what came of it is gathered on the
night's copy and in its list of changes.
"""

import logging
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta

from managers.language.words import content_words
from managers.memory.entities import Entity, kanji_alone, name_key
from managers.memory.episodes import Episode
from managers.memory.messages import NAMELESS, united
from managers.memory.periods import Period
from managers.memory.questions import Question
from managers.memory.working_copy import Stores, WorkingCopy
from managers.mind import Cancel, Sheet
from managers.recall.hits import Hit
from managers.sleep.changes import (
    Change,
    entity_changes,
    episode_changes,
    outdated_insights,
    question_changes,
    reflection_changes,
    resolution_changes,
    stale_changes,
)
from managers.sleep.checks import (
    check_day,
    check_entities,
    check_period,
    check_questions,
    check_reflection,
    check_resolutions,
)
from managers.sleep.condensing import ASKED_A_NIGHT, FEWEST_DAYS, condensed, due_spans
from managers.sleep.marking import Marks, Origins
from managers.sleep.night import Failure, Night
from managers.sleep.reflection_levels import span_days
from managers.sleep.review import Review
from managers.sleep.tasks import (
    READING_TASKS,
    AnswerMaterial,
    DayMaterial,
    DreamMind,
    EntityMaterial,
    Level,
    PeriodMaterial,
    QuestionMaterial,
    ReflectionMaterial,
    ResolutionsDraft,
    Task,
)
from managers.sleep.withdrawal import Gone, withdrawals, without_episode
from managers.storage.errors import UtataneError
from managers.storage.settings import PrivacySettings, SleepSettings

_REMEMBERED_INSIGHTS = 5
_PAST_HITS = 5
_TOPICS = 2
_GIST_WORDS = 12
_DAYS_BEFORE = 3
_CLOSE = 12
_OF = ("'s ", "’s ", "の")
Past = Callable[[str, Collection[str]], Sequence[Hit]]
logger = logging.getLogger(__name__)


@dataclass
class Thinker:
    """Asks the mind, one task after the other.

    Attributes:
        gone: tells which of some messages were taken back, or are in no file any more.
        deleted: tells which messages were taken back for good.
        when: tells when messages were said.
        recall: searches the past for some words, told which messages they are taken from.
        privacy: what is written down with placeholders for what is private.
    """

    stores: Stores
    sheet: Sheet
    mind: DreamMind
    fallback: DreamMind
    settings: SleepSettings
    gone: Callable[[Collection[str]], Collection[str]]
    deleted: Callable[[], Collection[str]]
    when: Callable[[Collection[str]], Sequence[datetime]]
    origins: Origins
    recall: Past
    privacy: PrivacySettings = field(default_factory=PrivacySettings)
    _since: dict[str, datetime] = field(default_factory=dict, init=False)
    """When the questions came up that were looked at in this run."""
    _periods_asked: int = field(default=0, init=False)
    _outage: UtataneError | None = field(default=None, init=False)
    _last_failure: UtataneError | None = field(default=None, init=False)

    def begin(self) -> None:
        """Begin a run: a mind that was away may be back."""
        self._outage = self._last_failure = None
        self._periods_asked = 0
        self._since.clear()

    def think_of_day(self, night: Night, material: DayMaterial, tasks: Sequence[Task], cancel: Cancel) -> None:
        before = Marks(self.origins).shown(_before(night.copy, material.date))
        material = replace(material, before=next(iter(before), None))
        if not tasks or set(tasks) >= READING_TASKS:
            night.read.append(material)
        episode = night.copy.episode(material.date)
        is_less = episode is not None and len(material.messages) < episode.covered_messages
        if material.changed or is_less or not material.messages:

            def is_gone(message_id: str) -> bool:
                return message_id in material.changed or bool(self.gone([message_id]))

            deleted = frozenset(self.deleted()).union(material.changed)
            night.take(withdrawals(night.copy, Gone(is_gone, material.date, self.origins, deleted=deleted)))
        if not material.messages:
            night.settled.append(material.date)
            night.take(without_episode(night.copy, material.date))
            return
        night.materials.append(material)
        steps: Mapping[Task, Callable[[Night, DayMaterial, Cancel], None]] = {
            "episode": self._episode,
            "answers": self.answers,
            "entities": self._entities,
            "questions": self._questions,
        }
        for task in tasks:
            if cancel.is_set():
                return
            if task == "episode" or material.new_messages:
                steps[task](night, material, cancel)

    def _episode(self, night: Night, material: DayMaterial, cancel: Cancel) -> None:
        there = night.copy.episode(material.date)
        if there is not None and there.is_users:
            return
        told = material.masked() if self.privacy.mask_summaries or self.privacy.mask_memories else material

        def think(mind: DreamMind, review: Review) -> list[Change]:
            draft = check_day(mind.summarise_day(told, cancel), told, review)
            return episode_changes(draft, told, mind.name, redo=False)

        if not self._ask(night, "episode", material, think) and self.fallback is not self.mind and not cancel.is_set():
            # The day must not be lost: the built-in mind writes it, and the model tries again next night.
            made = self.fallback.summarise_day(told, cancel)
            night.take(episode_changes(made, told, self.fallback.name, redo=True))

    def _entities(self, night: Night, material: DayMaterial, cancel: Cancel) -> None:
        known = self._mentioned(night.copy, material)
        clean = set(map(id, Marks(self.origins).shown(fact for card in known for fact in card.facts)))
        request = EntityMaterial(self._kept(material), tuple(card.only(lambda one: id(one) in clean) for card in known))

        def think(mind: DreamMind, review: Review) -> list[Change]:
            draft = check_entities(mind.describe_entities(request, cancel), request, review)
            return entity_changes(draft, request, mind.name, night.at)

        self._ask(night, "entities", material, think)

    def _questions(self, night: Night, material: DayMaterial, cancel: Cancel) -> None:
        marks = Marks(self.origins, material.origins)
        request = QuestionMaterial(self._kept(material), tuple(marks.shown(night.copy.questions.open)))

        def think(mind: DreamMind, review: Review) -> list[Change]:
            draft = check_questions(mind.find_questions(request, cancel), request, review)
            return question_changes(draft, mind.name, night.at, marks.all)

        self._ask(night, "questions", material, think)

    def answers(self, night: Night, material: DayMaterial, cancel: Cancel) -> None:
        since = {q.id: self._asked_since(q) for q in night.copy.questions.open if _is_older(q, material)}
        times = [message.time for message in material.new_messages]
        questions = tuple(q for q in night.copy.questions.open if q.id in since and times and max(times) >= since[q.id])
        if not questions:
            return
        material = self._kept(material)
        marks = zip(questions, Marks(self.origins).of(questions), strict=True)
        request = AnswerMaterial(material, questions, {one.id: mark for one, mark in marks})

        def think(mind: DreamMind, review: Review) -> list[Change]:
            draft = check_resolutions(mind.resolve_questions(request, cancel), request, review)
            in_time = _in_time(draft, since, material)
            return resolution_changes(in_time, request, night.copy.goals, mind.name, night.at)

        self._ask(night, "answers", material, think)

    def _kept(self, material: DayMaterial) -> DayMaterial:
        """Return a day as memories may be made of it."""
        return material.masked() if self.privacy.mask_memories else material

    def _asked_since(self, question: Question) -> datetime:
        """Return since when a question has been open: what was said before cannot answer it."""
        if question.id in self._since:
            return self._since[question.id]
        moments = self.when(question.evidence)
        if moments:
            return self._since.setdefault(question.id, max(moments))
        try:
            return datetime.fromisoformat(question.created_at)
        except ValueError:  # nobody knows since when
            return datetime(1, 1, 1)  # local wall-clock time, as everywhere

    def reflect(self, night: Night, level: Level, cancel: Cancel, today: date | None = None) -> None:
        """Look back, as in the night before `today` (this one if not given)."""
        span = span_days(level, self.settings)
        days = tuple(night.materials)[-span:]
        newest = days[-1].date if days else night.now.date()  # an import may lie years back
        stored = self.stores.episodes.between(newest - timedelta(days=span), newest)
        tonight = {one.date for one in night.materials if newest - timedelta(days=span) <= one.date <= newest}
        dates = {*(episode.date for episode in stored), *(material.date for material in days), *tonight}
        episodes = {day: episode for day in dates if (episode := night.copy.episode(day)) is not None}
        if not days and not episodes:
            return
        marks, known = Marks(self.origins, (one for day in days for one in day.origins)), night.copy.insights.entries
        outdated = outdated_insights(known, days[-1]) if days and level == 1 else ()
        told = marks.shown((episodes[day] for day in sorted(episodes)), always=level > 1)
        pursued = set(map(id, marks.shown(one for one in night.copy.goals.all if one.status == "active")))
        material = ReflectionMaterial(
            sheet=self.sheet,
            level=level,
            today=today or night.now.date(),
            days=days,
            episodes=tuple(told),
            insights=tuple(marks.shown([one for one in known if one not in outdated][:_REMEMBERED_INSIGHTS])),
            outdated=outdated,
            goals=night.copy.goals.only(lambda one: one.status != "active" or id(one) in pursued),
            questions=tuple(marks.shown(night.copy.questions.open)),
            values=next((tuple(one.values) for one in marks.shown([one for one in known if one.values][:1])), ()),
        )
        if self.mind is not self.fallback and not cancel.is_set():
            material = replace(material, past=tuple(marks.shown(self._past_of(material))))
        material = replace(material, origins=marks.all)
        if self.privacy.mask_memories:
            material = material.masked()

        def think(mind: DreamMind, review: Review) -> list[Change]:
            draft = mind.reflect(material, cancel)
            checked = check_reflection(draft, material, review) if draft is not None else None
            opened = night.copy.goals, night.copy.questions.open, material.today, self.sheet.language
            stale = stale_changes(*opened, mind.name, night.at) if level > 1 else []
            return [*reflection_changes(checked, material, mind.name, night.at), *stale]

        self._ask(night, "reflection", days[-1] if days else None, think)

    def let_go(self, night: Night) -> None:
        """Give up what was open in a time that is long over, as its own nights would have in the weeks that followed."""
        told = night.now.date(), self.sheet.language, self.fallback.name, night.now
        night.take(stale_changes(night.copy.goals, night.copy.questions.open, *told))

    def condense(self, night: Night, today: date | None, cancel: Cancel) -> None:
        """Sum up the weeks and months that were over before `today` and are not summed up as they are now; None: none.

        The first of a run are told by the mind, one question each; the others, and where it fails, in the words of their days.
        """
        if today is None:
            return
        store, tonight = self.stores.episodes, [material.date for material in night.materials]
        days = night.copy.episode_days()
        for span in due_spans(days, store.periods.spans(), tonight, today):
            found = (night.copy.episode(day) for day in sorted(days) if span.first <= day <= span.last)
            episodes = [episode for episode in found if episode is not None]
            there = store.periods.get(span)
            now = {one.date.isoformat(): one.text_digest() for one in episodes}
            if len(episodes) < FEWEST_DAYS or (there is not None and (there.stays or there.days == now)):
                continue
            gone = self.gone({one for episode in episodes for event in episode.events for one in event.evidence})
            marks = {"origins": [*united(*Marks(self.origins).of(episodes))]}
            period = condensed(span, episodes, gone, self.sheet.language, today).model_copy(update=marks)
            asks = self.mind is not self.fallback and self._periods_asked < ASKED_A_NIGHT and not cancel.is_set()
            if not (asks and self._tell_period(night, period, episodes, cancel)):
                night.take([_period_change(period)])

    def _tell_period(self, night: Night, period: Period, episodes: Sequence[Episode], cancel: Cancel) -> bool:
        """Have the mind tell a week or a month; what mattered most of it, and what that rests on, stays as it was chosen."""
        self._periods_asked += 1
        material = PeriodMaterial(self.sheet, period.span, tuple(episodes))
        if self.privacy.mask_summaries or self.privacy.mask_memories:
            material = material.masked()

        def think(mind: DreamMind, review: Review) -> list[Change]:
            draft = mind.summarise_period(material, cancel)
            if draft is None:
                return [_period_change(period)]
            told = check_period(draft, material, review)
            gone = set(self.gone(told.evidence))
            rests = [one for one in told.evidence if one not in gone]
            values = {
                "summary": told.summary,
                "evidence": list(dict.fromkeys([*period.evidence, *rests])),
                "mind": mind.name,
            }
            return [_period_change(period.model_copy(update=values).sealed())]

        return self._ask(night, "period", None, think)

    def _past_of(self, material: ReflectionMaterial) -> tuple[Hit, ...]:
        """Return what is remembered from before the days that are looked back on, and bears on them."""
        told = material.ids
        first = min([*(day.date for day in material.days), *(episode.date for episode in material.episodes)])
        try:
            hits = self.recall(_gist(material), {*told, *(one for it in material.questions for one in it.evidence)})
        except UtataneError as error:  # a night can do without
            logger.warning("no search before the reflection: %s", error)
            return ()
        before = (hit for hit in hits if hit.time is not None and hit.time.date() < first)
        return tuple(hit for hit in before if told.isdisjoint(hit.message_ids))[:_PAST_HITS]

    def _ask(
        self, night: Night, task: str, material: DayMaterial | None, ask: Callable[[DreamMind, Review], list[Change]]
    ) -> bool:
        """Ask the mind, and take what it answers; return whether it did.

        A failure is noted and leaves the other tasks standing, and so is what is left out.
        """
        day = material.date.isoformat() if material else f"{night.now:%Y-%m-%d}"
        review = Review(task, self.sheet.language, quotes=self.mind is self.fallback)
        try:
            if self._outage is not None:
                raise self._outage
            night.calls += 1
            changes = ask(self.mind, review)
        except UtataneError as error:
            before = self._last_failure
            if before is not None and before.sentence("en") == error.sentence("en"):
                self._outage = error  # the same words for two tasks: the mind itself is away
            self._last_failure = error
            night.failures.append(Failure(task, day, error))
            if material is not None and self.mind is not self.fallback:
                night.waiting.setdefault(day, []).append(task)
            return False
        if review.quotes:
            review.left_out.clear()
        night.take(changes)
        for insight in night.copy.take_beyond():
            review.leave_out(insight.insight, "too_many", insight.evidence)
        read = frozenset[str]().union(*(one.ids for one in night.materials))
        whole = tuple(sorted(material.ids)) if material else ()
        night.failures += [
            Failure(task, day, error, tuple(one for one in evidence if one in read) or whole)
            for error, evidence in review.left_out
        ]
        return True

    def _mentioned(self, copy: WorkingCopy, material: DayMaterial) -> list[Entity]:
        """Return what is known about whom and what the day mentions, about those who spoke, and about those close to the user.

        Whose name is not known stands under a name that nobody says: in a talk, “Aoi's sister” is "my sister" or "she".
        """
        text = "\n".join(message.text for message in material.new_messages)
        users = {name_key(name) for name in (self.sheet.user_name, NAMELESS[self.sheet.language]) if name}
        keys = {*users, *(name_key(message.speaker) for message in material.messages)}
        close = [key for key in copy.known_keys() if key.startswith(tuple(f"{u}{of}" for u in users for of in _OF))]
        keys.update(close[:_CLOSE])
        folded = name_key(text)
        keys |= {key for key in copy.known_keys() if _names(key, folded)}
        return copy.entities_named_in(sorted(keys))


def _period_change(period: Period) -> Change:
    return Change("period", period.date, period.summary, (), period.mind, lambda copy: copy.put_period(period))


def _before(copy: WorkingCopy, day: date) -> list[Episode]:
    """Return what is remembered of the days before one, the last first: who "she" is may have been said there."""
    days = (copy.episode(day - timedelta(days=back)) for back in range(1, _DAYS_BEFORE + 1))
    return [episode for episode in days if episode is not None]


def _names(key: str, text: str) -> bool:
    """Whether a text holds a name; one of a single character (翔) only where it is no part of a longer word (飛翔)."""
    if len(key) > 1:
        return key in text
    pattern = kanji_alone(key)
    return bool(pattern) and re.search(pattern, text) is not None


def _gist(material: ReflectionMaterial) -> str:
    """Return in a few words what some days were about: what came up on most of them, and what is wondered about."""
    texts = [one.summary for one in material.episodes] or [m.text for day in material.days for m in day.messages]
    counts = Counter(term for text in texts for term in dict.fromkeys(content_words(text)))
    topics = [question.topic for question in material.questions[:_TOPICS]]
    return " ".join(dict.fromkeys([*topics, *(term for term, _ in counts.most_common(_GIST_WORDS))]))


def _is_older(question: Question, material: DayMaterial) -> bool:
    """Whether a question was open before this day's new messages (a day does not answer what it just asked)."""
    return {message.id for message in material.new_messages}.isdisjoint(question.evidence)


def _in_time(draft: ResolutionsDraft, since: Mapping[str, datetime], material: DayMaterial) -> ResolutionsDraft:
    """Return the answers that were given after what they answer had come up."""
    said = {message.id: message.time for message in material.messages}
    kept = [one for one in draft.resolutions if max(said[told] for told in one.evidence) >= since[one.question_id]]
    return draft.model_copy(update={"resolutions": kept})
