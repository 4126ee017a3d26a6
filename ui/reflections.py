"""The shelves of insights, goals and questions: lists that live in one file each."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from html import escape

from agent.memories import Memories
from managers.memory.documents import USER, Remembered
from managers.memory.forgotten import FORGOTTEN
from managers.memory.goals import Goal, Horizon
from managers.memory.insights import Insight
from managers.memory.questions import Question
from ui.charts import table_link
from ui.csv_files import table_address
from ui.shelves import (
    Shelf,
    View,
    button,
    day_of,
    empty,
    evidence,
    forget_button,
    history_of,
    made_by,
    page_of,
    pager,
    past_of,
    pin_button,
    pin_mark,
    saving,
)

PAGE = 15
_HORIZONS: tuple[Horizon, ...] = ("short_term", "long_term")


def show_insights(view: View) -> str:
    """Return the insights, the pinned first, then newest first."""
    entries = view.memories.insights.entries(archived=True)
    if not entries:
        return empty(view.t("memories.insights_empty"))
    kept = {entry.id for entry in view.memories.insights.load().entries}
    ordered = sorted(entries, key=lambda entry: not entry.is_pinned)
    rows = "".join(_insight(view, entry, is_kept=entry.id in kept) for entry in page_of(view.place, ordered, PAGE))
    return (
        f'<ul class="memories">{rows}</ul>{pager(view.place, len(entries), PAGE, view.t)}{saving(view, "insights")}'
        f"{history_of(view, view.memories.paths.insights)}"
    )


def show_goals(view: View) -> str:
    """Return the goals: what it strives for now, then what has ended, page by page."""
    store, t = view.memories.goals, view.t
    goals = store.load()
    kept = [goal for horizon in _HORIZONS for goal in goals.lists[horizon] if goal.status != "active"]
    ended = [*sorted(kept, key=lambda goal: not goal.is_pinned), *store.archived()]
    parts = [_goals(view, t(f"memories.{horizon}"), goals.active(horizon)) for horizon in _HORIZONS]
    parts.append(_goals(view, t("memories.goals_ended"), page_of(view.place, ended, PAGE), {goal.id for goal in kept}))
    if not any(parts) and not ended:
        return empty(t("memories.goals_empty"))
    save = table_link(table_address(view.persona, "goals", t), t)
    pages = pager(view.place, len(ended), PAGE, t)
    return "".join(parts) + pages + save + history_of(view, view.memories.paths.goals)


def show_questions(view: View) -> str:
    """Return the questions: the open ones, most pressing first, then those that were answered, page by page."""
    store, t = view.memories.questions, view.t
    questions = store.load()
    kept = [question for question in questions.entries if question.status != "open"]
    closed = [*kept, *store.archived()]
    if not questions.entries and not closed:
        return empty(t("memories.questions_empty"))
    opened = sorted(questions.open, key=lambda question: not question.is_pinned)
    changeable = {question.id for question in kept}
    return (
        _questions(view, t("memories.questions_open"), opened)
        + _questions(view, t("memories.questions_closed"), page_of(view.place, closed, PAGE), changeable)
        + pager(view.place, len(closed), PAGE, t)
        + table_link(table_address(view.persona, "questions", t), t)
        + history_of(view, store.path)
    )


def forget_insight(memories: Memories, item: str) -> None:
    """Take an insight out of search and prompts."""
    memories.insights.delete(item, author=USER, reason=FORGOTTEN)


def forget_goal(memories: Memories, item: str) -> None:
    """Take a goal out of the prompts."""
    memories.goals.delete(item, author=USER, reason=FORGOTTEN)


def forget_question(memories: Memories, item: str) -> None:
    """Take a question out of the prompts."""
    memories.questions.delete(item, author=USER, reason=FORGOTTEN)


def pin_insight(memories: Memories, item: str, *, on: bool) -> None:
    """Pin an insight, or take the pin off."""
    memories.insights.pin(item, on=on, author=USER)


def pin_goal(memories: Memories, item: str, *, on: bool) -> None:
    """Pin a goal, or take the pin off."""
    memories.goals.pin(item, on=on, author=USER)


def pin_question(memories: Memories, item: str, *, on: bool) -> None:
    """Pin a question, or take the pin off."""
    memories.questions.pin(item, on=on, author=USER)


def _insight(view: View, entry: Insight, *, is_kept: bool) -> str:
    t = view.t
    parts = (("insight", entry.insight), ("strategy", entry.strategy), ("log_entry", entry.log_entry))
    told = "".join(
        f"<dt>{escape(t(f'memories.{key}'))}</dt><dd>{escape(text)}</dd>" for key, text in parts if text.strip()
    )
    level = escape(t("memories.level", level=entry.level))
    head = f'<time>{escape(day_of(entry.created_at, view))}</time><span class="kind">{level}</span>'
    deeds = _deeds(view, entry) if is_kept else ""
    return _row(view, entry, f"<h4>{escape(entry.trigger_topic)}</h4>", head, f"<dl>{told}</dl>", deeds)


def _goals(view: View, title: str, goals: Sequence[Goal], kept: Collection[str] | None = None) -> str:
    """Return a list of goals; those that are not `kept` stand on a shelf and are only to be read."""
    if not goals:
        return ""
    ordered = sorted(goals, key=lambda goal: not goal.is_pinned)
    rows = "".join(_goal(view, goal, is_kept=kept is None or goal.id in kept) for goal in ordered)
    return f'<h3>{escape(title)}</h3><ul class="memories">{rows}</ul>'


def _goal(view: View, goal: Goal, *, is_kept: bool) -> str:
    t = view.t
    notes = "".join(f"<li>{escape(note)}</li>" for note in goal.progress_notes)
    progress = f"<p>{escape(t('memories.progress'))}</p><ul>{notes}</ul>" if notes else ""
    status = "" if goal.status == "active" else f'<span class="kind">{escape(t(f"memories.{goal.status}"))}</span>'
    head = f"<time>{escape(day_of(goal.created_at, view))}</time>{status}"
    ending = ""
    if goal.status == "active":
        ending = button(t("memories.complete"), "end_goal", item=goal.id, status="completed")
        ending += button(t("memories.abandon"), "end_goal", item=goal.id, status="abandoned")
    reason = f"<p>{escape(goal.reason)}</p>" if goal.reason else ""
    deeds = ending + _deeds(view, goal) if is_kept else ""
    return _row(view, goal, f"<h4>{escape(goal.goal)}</h4>", head, reason + progress, deeds)


def _questions(view: View, title: str, questions: Sequence[Question], kept: Collection[str] | None = None) -> str:
    """Return a list of questions; those that are not `kept` stand on a shelf and are only to be read."""
    if not questions:
        return ""
    rows = "".join(_question(view, one, is_kept=kept is None or one.id in kept) for one in questions)
    return f'<h3>{escape(title)}</h3><ul class="memories">{rows}</ul>'


def _question(view: View, question: Question, *, is_kept: bool) -> str:
    t = view.t
    head = f"<time>{escape(day_of(question.created_at, view))}</time>"
    if question.status == "open":
        head += f'<span class="kind">{escape(t("memories.priority", percent=round(100 * question.priority)))}</span>'
        resolve = button(t("memories.resolve"), "resolve", item=question.id)
    else:
        head += f'<span class="kind">{escape(t(f"memories.{question.status}"))}</span>'
        resolve = ""
    context = f"<p>{escape(question.context)}</p>" if question.context else ""
    answer = ""
    if question.answer:
        answer = f"<dl><dt>{escape(t('memories.answer'))}</dt><dd>{escape(question.answer)}</dd></dl>"
        answer += evidence(view, question.answer_evidence)
    deeds = resolve + _deeds(view, question) if is_kept else ""
    return _row(view, question, f"<h4>{escape(question.topic)}</h4>", head, context + answer, deeds)


def _deeds(view: View, memory: Remembered) -> str:
    return pin_button(view, memory.id, pinned=memory.is_pinned) + forget_button(view, memory.id)


def _row(view: View, memory: Remembered, title: str, head: str, body: str, deeds: str) -> str:
    return (
        f'<li><p class="from">{head}{made_by(memory.mind, view)}{pin_mark(view.t, pinned=memory.is_pinned)}</p>'
        f'{title}{body}{evidence(view, memory.evidence)}<div class="deeds">{deeds}</div>'
        f"{past_of(view, memory.id) if memory.id else ''}</li>"
    )


INSIGHTS = Shelf(show_insights, forget=forget_insight, pin=pin_insight)
GOALS = Shelf(show_goals, forget=forget_goal, pin=pin_goal)
QUESTIONS = Shelf(show_questions, forget=forget_question, pin=pin_question)
