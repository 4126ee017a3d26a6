"""What the built-in mind concludes from a day, a week or a month: its own words about cited facts.

Every sentence is made from the evidence: what came up, how often, in what mood, whether it had come
up before. Where a day gives nothing to say, nothing is said.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import zip_longest
from typing import Final, Literal

from agent.minds.builtin.dreams.open_questions import aim_of, topic_of
from agent.minds.builtin.dreams.statements import Said, call, is_name_of, phrase, said_in, tell
from agent.minds.builtin.dreams.summary import day_topics, weight_of
from agent.minds.builtin.talk.quotation import between_quotes, quoted
from managers.language.dates_in_words import say
from managers.language.lexicons import word_list
from managers.language.words import content_words
from managers.memory.emotion_names import feeling_name
from managers.memory.emotions import NEGATIVE, POSITIVE
from managers.memory.episodes import Episode
from managers.memory.goals import Goal
from managers.mind import Cancel
from managers.sleep.tasks import GoalDraft, ReflectionDraft, ReflectionMaterial
from managers.storage.errors import Lang

MAX_NEW_GOALS: Final = 2
_RECURRING_DAYS: Final = 3
_MONTHLY: Final = 3
"""The level of the reflection that looks back on a month."""


@dataclass(frozen=True)
class _Theme:
    """What a reflection is about."""

    topic: str
    said: tuple[Said, ...]
    earlier: tuple[Episode, ...]
    emotion: str

    @property
    def evidence(self) -> list[str]:
        own = [said.message.id for said in self.said[:6]]
        return list(dict.fromkeys([*own, *(one for e in self.earlier[:3] for one in e.evidence[:1])]))


def reflect(material: ReflectionMaterial, _: Cancel | None = None) -> ReflectionDraft | None:
    """Return what the night concludes; None where nothing was said that is worth a thought."""
    theme = _theme(material)
    if theme is None:
        return None
    lang = material.sheet.language
    return ReflectionDraft(
        trigger_topic=theme.topic,
        insight=_insight(theme, material, lang),
        strategy=_strategy(theme, material, lang),
        log_entry=_log_entry(theme, material, lang),
        evidence=theme.evidence,
        goals=_goals(material, theme),
    )


def _theme(material: ReflectionMaterial) -> _Theme | None:
    """Return the topic that the user said most about, with what weighs on them first."""
    spoken = [said for day in material.days for said in said_in(day.messages)]
    names = {said.message.speaker for said in spoken} | _names(material)
    telling = [said for said in spoken if not said.is_empty]
    if not telling:
        return _long_theme(material)
    about = {
        topic: [said for said in telling if topic in said.text or (terms and terms <= said.terms)]
        for topic in day_topics(telling, names, limit=5) or day_topics(spoken, names, limit=5)
        for terms in [set(content_words(topic))]
    }
    topic = max(about, key=lambda one: _weight(about[one]), default="")
    if not about.get(topic):
        return None
    counts = Counter(term for said in spoken for term in said.terms)
    found = sorted(about[topic], key=lambda said: (said.message.role != "user", -weight_of(said, counts)))
    felt = Counter(emotion for said in found if (emotion := _felt_by_user(said)) != "neutral")
    days = {day.date for day in material.days}
    earlier = [one for one in _episodes_about(topic, material) if one.date not in days]
    return _Theme(topic, tuple(found), tuple(earlier), felt.most_common(1)[0][0] if felt else "neutral")


def _weight(about: Sequence[Said]) -> float:
    """Return how much the user said of a topic; what they felt about weighs more."""
    theirs = [said for said in about if said.message.role == "user"]
    mood = sum(1.5 for said in theirs if _felt_by_user(said) in NEGATIVE | POSITIVE)
    return mood + len(theirs) + 0.1 * len(about)


def _felt_by_user(said: Said) -> str:
    return said.feeling if said.message.role == "user" else "neutral"


def _episodes_about(topic: str, material: ReflectionMaterial) -> list[Episode]:
    terms = set(content_words(topic))
    return [e for e in material.episodes if terms and terms <= set(content_words(" ".join([e.summary, *e.key_events])))]


def _long_theme(material: ReflectionMaterial) -> _Theme | None:
    """Return what came up on most of the remembered days, where there is no new day to look at."""
    if material.level == 1:
        return None
    names = {name.casefold() for name in _names(material)}
    counts = Counter(
        term
        for episode in material.episodes
        for term in set(content_words(" ".join(episode.key_events)))
        if not is_name_of(term, names)  # each line of an episode says who spoke
    )
    recurring = [term for term, days in counts.most_common(1) if days >= _RECURRING_DAYS]
    if not recurring:
        return None
    about = tuple(e for e in material.episodes if recurring[0] in content_words(" ".join(e.key_events)))
    return _Theme(recurring[0], (), about, "neutral")


def _names(material: ReflectionMaterial) -> set[str]:
    """Return the names of those who talk: nobody is what their own talk is about."""
    speakers = {message.speaker for day in material.days for message in day.messages}
    return {name for name in (*speakers, material.sheet.user_name, material.sheet.persona) if name}


def _insight(theme: _Theme, material: ReflectionMaterial, lang: Lang) -> str:
    parts = []
    if theme.said:
        times, first = len({said.message.id for said in theme.said}), theme.said[0]
        key = "insight_often" if times > 1 else "insight_once"
        parts.append(tell(key, first, material.sheet, topic=theme.topic, times=str(times)))
    if theme.earlier:
        parts.append(phrase(lang, "insight_earlier", dates=_dates(theme.earlier, lang)))
    if theme.emotion != "neutral":
        key = "insight_hurts" if theme.emotion in NEGATIVE else "insight_pleases"
        parts.append(phrase(lang, key, feeling=feeling_name(theme.emotion, lang)))
    return phrase(lang, "joint").join(parts)


def _strategy(theme: _Theme, material: ReflectionMaterial, lang: Lang) -> str:
    about = set(content_words(theme.topic))
    slots = {
        "hurts": feeling_name(theme.emotion, lang) if theme.emotion in NEGATIVE else "",
        "open": next((q.topic for q in material.questions if set(content_words(q.topic)) & about), ""),
        "earlier": say("calendar", theme.earlier[0].date, lang) if theme.earlier else "",
        "beside": next((t for said in theme.said for t in said.topics if t != theme.topic), ""),
    }
    kind = next((name for name, value in slots.items() if value), "")
    return phrase(lang, f"strategy_{kind}" if kind else "strategy", topic=theme.topic, **slots)


def _log_entry(theme: _Theme, material: ReflectionMaterial, lang: Lang) -> str:
    other = [said for said in theme.said if said.message.role == "user"][1:2] or list(theme.said[1:2])
    scene = next((e.key_events[0] for e in theme.earlier[:1] if e.key_events), "")
    text = ""
    if material.level > 1 and material.episodes:
        text = phrase(lang, "dream_span", span=_dates([material.episodes[0], material.episodes[-1]], lang))
    text += phrase(lang, "dream_walk", topic=theme.topic)
    if theme.said:
        text += phrase(lang, "dream_voice", quote=quoted(theme.said[0].text, lang, 60))
    behind = quoted(other[0].text, lang, int(phrase(lang, "longest_behind"))) if other else ""
    text += phrase(lang, "dream_behind" if other else "dream_silence", quote=behind)
    return text + (phrase(lang, "dream_far", scene=scene) if scene else "")


def _goals(material: ReflectionMaterial, theme: _Theme) -> list[GoalDraft]:
    told = [said for day in material.days for said in said_in(day.new_messages) if said.message.role == "user"]
    goals = material.goals
    drafts = [draft for goal in goals.active("short_term") if (draft := _moved(goal, told, material)) is not None]
    drafts += _wishes(told, material)[:MAX_NEW_GOALS]
    if material.level == _MONTHLY:
        drafts += [draft for goal in goals.active("long_term") if (draft := _looked_back(goal, material))]
        drafts += [_long_goal(theme, material)] if len(theme.earlier) >= _RECURRING_DAYS else []
    return drafts


def _wishes(told: Sequence[Said], material: ReflectionMaterial) -> list[GoalDraft]:
    """Return goals to support what the user strives for and no goal names yet."""
    lang, names = material.sheet.language, {said.message.speaker.casefold() for said in told}
    wanted: list[GoalDraft] = []
    for said, after in zip_longest(told, told[1:]):
        is_striven_for = said.has("effort") or (after is not None and after.has("calls_it_goal"))
        is_effort = (
            is_striven_for and said.is_own and not said.is_question and not said.has("vague_plan", "calls_it_goal")
        )
        topic = topic_of(said, names) if is_effort and (said.lang == "ja" or aim_of(said)) else ""
        if topic and not _is_known(topic, material):
            goal = phrase(lang, "goal_support", who=call(said.message, material.sheet, lang), topic=topic)
            priority = min(3, 1 + len(wanted))
            wanted.append(GoalDraft(action="create", goal=goal, priority=priority, evidence=[said.message.id]))
    return wanted


def _moved(goal: Goal, told: Sequence[Said], material: ReflectionMaterial) -> GoalDraft | None:
    """Return what the day says about a goal: that it is reached, given up, or goes on."""
    terms, lang = set(content_words(_named(goal))), material.sheet.language
    for said in told:
        if said.message.id in goal.evidence or said.is_question:
            continue
        if not said.is_about(_named(goal)) or said.only_mentions("reached", "done", "gave_up"):
            continue  # somebody else got there, or nobody did
        is_reached = (
            said.has("reached")
            and not said.is_plan
            and bool((terms & said.terms) - word_list(said.lang, "common_aims"))
        )
        if not is_reached and (not terms or not terms <= said.terms):
            continue
        is_done = is_reached or (said.has("done") and not said.is_plan)
        action: Literal["abandon", "complete", "progress"] = (
            "abandon" if said.has("gave_up") else "complete" if is_done else "progress"
        )
        reason = tell("goal_reason", said, material.sheet, day=say("calendar", said.message.time.date(), lang))
        return GoalDraft(action=action, goal_id=goal.id, reason=reason, evidence=[said.message.id])
    return None


def _looked_back(goal: Goal, material: ReflectionMaterial) -> GoalDraft | None:
    """Return on how many days of the month a long-term goal came up; None if it did not."""
    about, lang = _episodes_about(_named(goal), material), material.sheet.language
    evidence = list(dict.fromkeys(one for episode in about for one in episode.evidence[:1]))
    if not evidence:
        return None
    key = "goal_day" if len(about) == 1 else "goal_days"
    reason = phrase(lang, key, count=str(len(about)), dates=_dates(about, lang))
    return GoalDraft(action="progress", goal_id=goal.id, reason=reason, evidence=evidence[:6])


def _named(goal: Goal) -> str:
    """Return what a goal is about: what stands in its quotation marks, else all of it."""
    return between_quotes(goal.goal) or goal.goal


def _is_known(topic: str, material: ReflectionMaterial) -> bool:
    terms = set(content_words(topic))
    goals = [*material.goals.short_term, *material.goals.long_term]
    return not terms or any(len(terms & set(content_words(goal.goal))) * 2 >= len(terms) for goal in goals)


def _long_goal(theme: _Theme, material: ReflectionMaterial) -> GoalDraft:
    lang = material.sheet.language
    speaker = next((call(s.message, material.sheet, lang) for s in theme.said if s.message.role == "user"), "")
    who = speaker or material.sheet.user_name or phrase(lang, "other")
    goal = phrase(lang, "goal_share", who=who, topic=theme.topic)
    return GoalDraft(
        action="create", goal=goal, horizon="long_term", related_values=[theme.topic], evidence=theme.evidence
    )


def _dates(episodes: Iterable[Episode], lang: Lang) -> str:
    days: list[date] = list(dict.fromkeys(episode.date for episode in episodes))[:3]
    return phrase(lang, "comma").join(say("calendar", day, lang) for day in days)
