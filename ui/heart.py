"""The room "Heart": the drives, the questions, the feelings and the goals of a persona, and what one may put right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from html import escape
from typing import Any, get_args

import gradio as gr

from agent.memories import Memories
from agent.services import Services
from managers.memory.drives import DRIVES
from managers.memory.emotion_curve import Bucket, EmotionCurve, Reading
from managers.sleep.diary import DreamDiary
from managers.storage.errors import UtataneError
from managers.storage.files import digest
from ui import heart_view
from ui.edge import IN_TURN, QUIET, at_edge, say_done, say_error
from ui.heart_view import DriveNow
from ui.history import entry_list
from ui.locales import Texts
from ui.neighbours import in_place, neighbours
from ui.sight import create_sight, meant, showing, while_shown
from ui.spans import LENGTHS, Length, Span, shifted, span_of
from ui.taking_back import STEPS, done_key, take_back
from ui.turns import Turns

DAYS = (7, 30, 90)
MOST_POINTS = 150
"""Up to so many readings are shown as they are; more as averages."""
SHOWN_CHANGES = 10
_LATELY = 100
"""Changes are looked for among so many entries of the history; each memory's own history has those of years ago."""
_GLANCE_SECONDS = 60.0
"""How often one looks whether something moved, by a talk in another window or by the passing of time."""
_CLICKS = "utatane.clicks(element, trigger) // 'select'"
_TO_DREAMS = (
    "utatane.clicks(element, trigger, (button) => button.dataset.action !== 'dreams' "
    "|| (utatane.openRoom('dreams'), false)) // 'select'"
)


@dataclass(frozen=True, slots=True)
class HeartRoom:
    """The components of the room."""

    days: gr.Radio
    length: gr.Radio
    anchor: gr.State
    motive: gr.HTML
    drives: gr.HTML
    questions: gr.HTML
    feelings: gr.HTML
    behind: gr.HTML
    goals: gr.HTML
    dream: gr.HTML
    changes: gr.HTML
    glance: gr.Timer
    seen: gr.State

    @property
    def inner(self) -> list[Any]:
        """What follows from the drives, the questions and the goals."""
        return [self.motive, self.drives, self.questions, self.goals, self.changes]

    @property
    def curve(self) -> list[Any]:
        """What follows from the span that is looked at."""
        return [self.length, self.anchor, self.feelings, self.behind]


def create_heart_room(services: Services, t: Texts, current: gr.State, tab: gr.Tab) -> HeartRoom:
    """Build the room inside `tab`; it is filled whenever one enters it."""
    with gr.Column(elem_classes="room heart"):
        gr.HTML(f"<h2>{escape(t('heart.title'))}</h2><p>{escape(t('heart.intro'))}</p>", elem_classes="intro")
        motive = gr.HTML(elem_id="heart-motive", apply_default_css=False)
        with gr.Column(elem_classes="part"):
            with gr.Row(elem_classes="part-head"):
                gr.HTML(f"<h3>{escape(t('heart.drives'))}</h3>", elem_classes="intro")
                days = _segments([(t(f"heart.days_{n}"), n) for n in DAYS], DAYS[0], t("heart.days"), "heart-days")
            drives = gr.HTML(elem_id="heart-drives", apply_default_css=False)
        questions = _part("questions", t)
        with gr.Column(elem_classes="part"):
            with gr.Row(elem_classes="part-head"):
                gr.HTML(_heading("feelings", t), elem_classes="intro")
                lengths = [(t(f"heart.span_{name}"), name) for name in LENGTHS]
                length = _segments(lengths, "week", t("heart.span"), "heart-span")
            feelings = gr.HTML(elem_id="heart-feelings", js_on_load=_CLICKS, apply_default_css=False)
            behind = gr.HTML(elem_id="heart-behind", js_on_load=_CLICKS, apply_default_css=False)
        goals = _part("goals", t)
        with gr.Column(elem_classes="part"):
            gr.HTML(f"<h3>{escape(t('heart.last_dream'))}</h3>", elem_classes="intro")
            dream = gr.HTML(elem_id="heart-dream", js_on_load=_TO_DREAMS, apply_default_css=False)
        with gr.Column(elem_classes="part"):
            changes = gr.HTML(elem_id="heart-changes", js_on_load=_CLICKS, apply_default_css=False)
    anchor, seen, glance = gr.State(""), gr.State(""), gr.Timer(_GLANCE_SECONDS, active=False)
    room = HeartRoom(
        days, length, anchor, motive, drives, questions, feelings, behind, goals, dream, changes, glance, seen
    )
    _wire(HeartHandlers(services, t), room, t, current, tab)
    return room


def _wire(handlers: HeartHandlers, room: HeartRoom, t: Texts, current: gr.State, tab: gr.Tab) -> None:
    edge, sight = at_edge(t), create_sight()
    who = [current, sight]
    seen = [*who, room.length, room.anchor]
    whole = [*room.inner, *room.curve, room.dream, room.glance, room.seen, sight]
    tab.select(edge(showing(handlers.open)), [current, room.days], whole, **IN_TURN)
    room.glance.tick(
        edge(while_shown(handlers.glance)), [*who, room.days, room.seen], [*room.inner, room.seen], **QUIET
    )
    room.days.input(edge(meant(handlers.show_drives)), [*who, room.days], [room.drives], **IN_TURN)
    for listed in (room.questions, room.goals, room.changes):
        listed.select(edge(meant(handlers.change)), [*who, room.days], room.inner, **IN_TURN)
    room.length.input(edge(meant(handlers.show_curve)), seen, room.curve, **IN_TURN)
    for chosen in (room.feelings, room.behind):
        chosen.select(edge(meant(handlers.look)), seen, room.curve, **IN_TURN)


def _segments(choices: Sequence[tuple[str, Any]], value: str | int, label: str, elem_id: str) -> gr.Radio:
    return gr.Radio(
        list(choices),
        value=value,
        label=label,
        show_label=False,
        elem_id=elem_id,
        elem_classes="segments small-segments",
    )


def _part(name: str, t: Texts) -> gr.HTML:
    with gr.Column(elem_classes="part"):
        gr.HTML(_heading(name, t), elem_classes="intro")
        return gr.HTML(elem_id=f"heart-{name}", js_on_load=_CLICKS, apply_default_css=False)


def _heading(name: str, t: Texts) -> str:
    return f"<h3>{escape(t(f'heart.{name}'))}</h3><p>{escape(t(f'heart.{name}_intro'))}</p>"


class HeartHandlers:
    """The room's handlers."""

    def __init__(self, services: Services, t: Texts) -> None:
        """Take the services and the page's language."""
        self._services = services
        self._t = t
        self._turns = Turns()

    def open(self, persona: str, days: int) -> tuple[Any, ...]:
        """Show the room as it is now."""
        if not persona:
            return tuple(gr.skip() for _ in range(12))
        memories = self._memories(persona)
        with self._turns.of(persona):
            memories.inner_state.note_course()
            night = DreamDiary(memories.paths, memories.history, memories.insights, memories.log).latest()
            dream = heart_view.last_dream(night, self._now(), self._t)
            curve = self._curve(persona, "week", self._now().date())
            return *self._inner(persona, days), *curve, dream, gr.Timer(active=True), self._moved(persona)

    def glance(self, persona: str, days: int, seen: str) -> tuple[Any, ...]:
        """Show what has moved; while nothing has, nothing on the page moves either, and no fold closes."""
        if not persona or (now := self._moved(persona)) == seen:
            return tuple(gr.skip() for _ in range(6))
        with self._turns.of(persona):
            motive, drives, *lists = self._inner(persona, days)
        if now.partition(" ")[0] == seen.partition(" ")[0]:
            lists = [gr.skip() for _ in lists]  # only time went by
        return motive, drives, *lists, now

    def show_drives(self, persona: str, days: int) -> str:
        """Show the drives over another number of days."""
        memories, now, t = self._memories(persona), self._now(), self._t
        inner = memories.inner_state
        shown = DriveNow(
            levels=inner.levels(now),
            whys={drive: inner.why(drive, t.lang, now) for drive in DRIVES},
            course=inner.course.points(now - timedelta(days=days), now),
            days=days,
        )
        return heart_view.drives(shown, persona, now, t)

    def change(self, persona: str, days: int, event: gr.EventData) -> tuple[Any, ...]:
        """Resolve or delete a question, end a goal, take a change back: whatever was clicked."""
        memories = self._memories(persona)
        action, in_the_way = str(event.action), ""
        with self._turns.of(persona):
            if action in {"resolve", "delete"}:
                self._close_question(memories, action, str(event.question))
            elif action in {"complete", "abandon"}:
                self._end_goal(memories, action, str(event.goal))
            elif action in STEPS:
                in_the_way = self._take_back(memories, action, str(event.entry))
            memories.inner_state.refresh(lang=memories.sheet().language)
            *inner, changes = self._inner(persona, days)
        return *inner, in_the_way + changes

    def show_curve(self, persona: str, length: Length, anchor: str) -> tuple[Any, ...]:
        """Show the emotion curve over another length of time."""
        return self._curve(persona, length, _day(anchor, self._now()))

    def look(self, persona: str, length: Length, anchor: str, event: gr.EventData) -> tuple[Any, ...]:
        """Follow what was clicked in the curve or beside it: a point, the time before or after, a closer look."""
        action, day = str(event.action), _day(anchor, self._now())
        if action == "point":
            return *(gr.skip() for _ in range(3)), self._behind(persona, length, day, str(event.key))
        if action == "zoom" and str(event.length) in get_args(Length):
            return self._curve(persona, event.length, date.fromisoformat(str(event.day)))
        if action == "latest":
            recent = self._memories(persona).emotions.recent()
            return self._curve(persona, length, recent[0].timestamp.date() if recent else day)
        span = self._span(persona, length, day)
        return self._curve(persona, length, shifted(span, -1 if action == "earlier" else 1))

    # What they share

    def _take_back(self, memories: Memories, action: str, entry: str) -> str:
        try:
            in_the_way = take_back(memories, {"action": action, "entry": entry}, self._t)
        except UtataneError as error:  # another window was faster, say: what is there now is shown
            say_error(error, self._t)
            return ""
        if not in_the_way:
            say_done(self._t(f"heart.{done_key(action)}"), self._t)
        return in_the_way

    def _close_question(self, memories: Memories, action: str, question_id: str) -> None:
        before = memories.inner_state.levels().curiosity
        if action == "resolve":
            memories.questions.resolve(question_id, author="user", reason="question_resolved")
        else:
            memories.questions.delete(question_id, author="user", reason="question_deleted")
        after = memories.inner_state.levels().curiosity
        key = "heart.resolved" if action == "resolve" else "heart.deleted"
        say_done(self._t(key, before=f"{before:.2f}", after=f"{after:.2f}"), self._t)

    def _end_goal(self, memories: Memories, action: str, goal_id: str) -> None:
        found = memories.goals.load().get(goal_id)
        if found is None:
            return  # another window was faster; what is there now is shown
        if action == "complete":
            memories.goals.end(goal_id, "completed", author="user", reason="goal_completed")
        else:
            memories.goals.end(goal_id, "abandoned", author="user", reason="goal_abandoned")
        key = "heart.completed" if action == "complete" else "heart.abandoned"
        say_done(self._t(key, goal=found[1].goal), self._t)

    def _inner(self, persona: str, days: int) -> tuple[Any, ...]:
        memories, now, t = self._memories(persona), self._now(), self._t
        inner = memories.inner_state
        motivation = inner.motivation(t.lang, now)
        why = inner.why(inner.levels(now).dominant, t.lang, now)
        questions = memories.questions.load()
        closed = sorted((q for q in questions.entries if q.status != "open"), key=lambda q: q.closed_at, reverse=True)
        return (
            heart_view.motive(motivation, why, t),
            self.show_drives(persona, days),
            heart_view.questions(questions.open, closed, persona, now, t),
            heart_view.goals(memories.goals.load(), persona, now, t),
            self._changes(memories, persona, now),
        )

    def _moved(self, persona: str) -> str:
        """Return what differs as soon as the questions or the goals do, and, apart from it, the levels."""
        memories = self._memories(persona)
        levels = memories.inner_state.levels()
        questions = [(one.id, one.status, one.topic) for one in memories.questions.load().entries]
        lists = digest(repr((persona, questions, memories.goals.load().plain())))
        return " ".join([lists, *(f"{levels.of(drive):.2f}" for drive in DRIVES)])

    def _changes(self, memories: Memories, persona: str, now: datetime) -> str:
        """Return what people changed of the questions and the goals, with the way back."""
        lists = {
            path.relative_to(memories.paths.folder).as_posix()
            for path in (memories.questions.path, memories.paths.goals)
        }
        lately = memories.history.entries(_LATELY)
        ours = [entry for entry in lately if entry.author == "user" and not lists.isdisjoint(entry.files)]
        if not ours:
            return ""
        title = escape(self._t("heart.changes"))
        listed = entry_list(ours[:SHOWN_CHANGES], persona, now, self._t)
        return f'<details class="fold"><summary>{title}</summary>{listed}</details>'

    def _curve(self, persona: str, length: Length, day: date) -> tuple[Any, ...]:
        memories, now = self._memories(persona), self._now()
        curve = EmotionCurve(memories.paths, self._services.clock)
        first = curve.first()
        span = span_of(length, day, first, now)
        found = _points(curve, span)
        has_older = first is not None and first < span.since
        html = heart_view.feelings(span, found, persona, now.date(), self._t, has_older=has_older)
        return length, day.isoformat(), html, ""

    def _behind(self, persona: str, length: Length, day: date, key: str) -> str:
        memories, now, t = self._memories(persona), self._now(), self._t
        since, until, message_id = f"{key}/".split("/")[:3]
        curve = EmotionCurve(memories.paths, self._services.clock)
        found = curve.readings(datetime.fromisoformat(since), datetime.fromisoformat(until))
        gone = {one for one, text in memories.log.corrections().items() if text is None}
        found = [
            replace(reading, text="")
            if reading.message_id in gone
            else reading  # felt it was; the words are taken back
            for reading in found
            if message_id in {"", reading.message_id}
        ]
        around = ""
        if len(found) == 1 and found[0].message_id:
            messages = neighbours(memories.log, found[0].message_id)
            around = in_place(messages, found[0].message_id, now, t) if messages else ""
        return heart_view.behind_point(found, self._span(persona, length, day), persona, now, t, around)

    def _span(self, persona: str, length: Length, day: date) -> Span:
        curve = EmotionCurve(self._memories(persona).paths, self._services.clock)
        return span_of(length, day, curve.first() if length == "all" else None, self._now())

    def _memories(self, persona: str) -> Memories:
        return self._services.companion(persona).memories

    def _now(self) -> datetime:
        return self._services.clock.now()


def _points(curve: EmotionCurve, span: Span) -> list[Reading] | list[Bucket]:
    if span.length in {"day", "week"}:
        readings = curve.readings(span.since, span.until)
        if len(readings) <= MOST_POINTS:
            return readings
    return curve.buckets(span.since, span.until, span.step)


def _day(anchor: str, now: datetime) -> date:
    return date.fromisoformat(anchor) if anchor else now.date()
