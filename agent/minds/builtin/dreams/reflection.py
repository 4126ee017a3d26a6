"""What the built-in mind concludes from a day, a week or a month: its own words about cited facts.

Every sentence is made from the evidence: what came up, how often, in what mood, whether it had come
up before. Where a day gives nothing to say, nothing is said.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from agent.minds.builtin.dreams.open_questions import has_clause, is_effort, topic_of
from agent.minds.builtin.dreams.statements import Said, call, quoted, said_in, told_by_persons
from agent.minds.builtin.dreams.summary import day_topics, is_name_of, weight_of
from agent.minds.builtin.talk.dates_in_words import say_calendar_day
from managers.language.emotion import read_emotion
from managers.language.words import content_words
from managers.memory.emotion_names import feeling_name
from managers.memory.emotions import NEGATIVE, POSITIVE
from managers.memory.episodes import Episode
from managers.memory.goals import Goal
from managers.sleep.tasks import GoalDraft, ReflectionDraft, ReflectionMaterial
from managers.storage.errors import Lang

MAX_NEW_GOALS = 2
_RECURRING_DAYS = 3
_REACHED = re.compile(
    r"合格(し|でき|だ)|受かっ(た|て)|受かりまし|取得し(た|まし)|\b(?:I|we) (?:\w+ )?passed\b", re.IGNORECASE
)
"""What says of any aim that it is reached, however the aim was named before."""
_COMMON = frozenset({"資格", "試験", "検定", "勉強", "受験", "exam", "test", "learn", "study", "pass", "year", "month"})
"""Words that two aims may share without being the same."""


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


def reflect(material: ReflectionMaterial) -> ReflectionDraft | None:
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
    counts = Counter(term for said in spoken for term in said.terms)
    topics = day_topics(telling, names, limit=5) or day_topics(spoken, names, limit=5)
    if not topics:
        return None

    def about(topic: str) -> list[Said]:
        terms = set(content_words(topic))
        return [said for said in telling if topic in said.text or (terms and terms <= said.terms)]

    def weight(topic: str) -> float:
        theirs = [said for said in about(topic) if said.message.role == "user"]
        mood = sum(1.5 for said in theirs if read_emotion(said.text).emotion in NEGATIVE | POSITIVE)
        return mood + sum(1 for _ in theirs) + 0.1 * len(about(topic))

    topic = max(topics, key=weight)
    found = sorted(about(topic), key=lambda said: (said.message.role != "user", -weight_of(said, counts)))
    if not found:
        return None
    emotions = Counter(
        reading.emotion
        for said in found
        if said.message.role == "user" and (reading := read_emotion(said.text)).emotion != "neutral"
    )
    days = {day.date for day in material.days}
    terms = set(content_words(topic))
    earlier = [
        episode
        for episode in material.episodes
        if episode.date not in days
        and terms
        and terms <= set(content_words(episode.summary + " ".join(episode.key_events)))
    ]
    return _Theme(topic, tuple(found), tuple(earlier), emotions.most_common(1)[0][0] if emotions else "neutral")


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
    ja = lang == "ja"
    parts = []
    if theme.said:
        who = call(theme.said[0].message, material.sheet, lang)
        times = len({said.message.id for said in theme.said})
        text = quoted(theme.said[0].text, lang)
        if ja:
            often = f"「{theme.topic}」の話が{times}回出た。" if times > 1 else f"「{theme.topic}」の話をした。"
            parts.append(f"{often}{who}は{text}と言っていた。")
        else:
            often = f"“{theme.topic}” came up {times} times." if times > 1 else f"We talked about “{theme.topic}”."
            parts.append(f"{often} {_capital(who)} said, {text}")
    if theme.earlier:
        dates = _dates(theme.earlier, lang)
        if ja:
            parts.append(f"{dates}にも同じ話をしていたから、ひとときの話題ではなさそうだ。")
        else:
            parts.append(f"We had talked of it on {dates} as well, so it is more than a passing topic.")
    if theme.emotion != "neutral":
        feeling = feeling_name(theme.emotion, lang)
        if theme.emotion in NEGATIVE:
            parts.append(f"その言葉には{feeling}があった。" if ja else f"There was {feeling} in those words.")
        else:
            parts.append(f"話すときの{feeling}が伝わってきた。" if ja else f"I could feel the {feeling} in it.")
    return ("" if ja else " ").join(parts)


def _strategy(theme: _Theme, material: ReflectionMaterial, lang: Lang) -> str:
    ja = lang == "ja"
    open_ones = [q for q in material.questions if set(content_words(q.topic)) & set(content_words(theme.topic))]
    if theme.emotion in NEGATIVE:
        feeling = feeling_name(theme.emotion, lang)
        if ja:
            return f"「{theme.topic}」のことは、助言を急がず、まず{feeling}の理由を聞く。"
        return f"With “{theme.topic}”, ask about the {feeling} first and do not hurry to advise."
    if open_ones:
        return (
            f"次に話すとき、「{open_ones[0].topic}」がその後どうなったか、こちらから聞く。"
            if ja
            else f"Next time, ask of my own accord what became of “{open_ones[0].topic}”."
        )
    if theme.earlier:
        first = say_calendar_day(theme.earlier[0].date, lang)
        return (
            f"「{theme.topic}」は{first}から続いている話。前に聞いたことを覚えているとわかるように話す。"
            if ja
            else f"“{theme.topic}” has been with us since {first}: show that I remember what I was told."
        )
    particular = next((t for said in theme.said for t in said.topics if t != theme.topic), "")
    if particular:
        return (
            f"「{theme.topic}」の話が出たら、「{particular}」のことも尋ねて広げる。"
            if ja
            else f"When “{theme.topic}” comes up, ask about “{particular}” too."
        )
    return (
        f"「{theme.topic}」のことを、もう少し詳しく聞いてみる。" if ja else f"Ask to hear more about “{theme.topic}”."
    )


def _log_entry(theme: _Theme, material: ReflectionMaterial, lang: Lang) -> str:
    ja = lang == "ja"
    other = [said for said in theme.said if said.message.role == "user"][1:2] or list(theme.said[1:2])
    voice = quoted(theme.said[0].text, lang, 60) if theme.said else ""
    scenes = [e.key_events[0] for e in theme.earlier[:1] if e.key_events]
    if material.level > 1 and material.episodes:
        span = _dates([material.episodes[0], material.episodes[-1]], lang)
        opening = (
            f"{span}の日々が、夢の中でつながっていった。"
            if ja
            else f"In my dream the days of {span} ran into one another. "
        )
    else:
        opening = ""
    if ja:
        text = f"{opening}夢の中で、「{theme.topic}」のまわりを歩いていた。"
        text += f"{voice}という声がして、" if voice else ""
        text += (
            f"そのうしろで{quoted(other[0].text, lang, 60)}とも聞こえた。" if other else "しばらく耳をすませていた。"
        )
        return text + (f"「{scenes[0]}」の日のことも、遠くに見えた。" if scenes else "")
    text = f"{opening}In my dream I walked around “{theme.topic}”."
    text += f" A voice said, {voice}" if voice else ""
    text += f" and behind it another: {quoted(other[0].text, lang, 80)}" if other else " and I listened for a while."
    return text + (f" Far off I saw the day of “{scenes[0]}”." if scenes else "")


def _goals(material: ReflectionMaterial, theme: _Theme) -> list[GoalDraft]:
    lang = material.sheet.language
    told = [said for day in material.days for said in told_by_persons(day.new_messages) if said.message.role == "user"]
    names = {said.message.speaker.casefold() for said in told}
    drafts = [
        draft for goal in material.goals.active("short_term") if (draft := _moved(goal, told, material)) is not None
    ]
    wanted: list[GoalDraft] = []
    for said in told:
        topic = topic_of(said, names)
        if is_effort(said) and topic and (said.lang == "ja" or has_clause(said)) and not _is_known(topic, material):
            who = call(said.message, material.sheet, lang)
            wanted.append(_wish(said, topic, who, lang, priority=min(3, 1 + len(wanted))))
    drafts += wanted[:MAX_NEW_GOALS]
    if material.level == 3:  # noqa: PLR2004  # the monthly reflection
        drafts += [draft for goal in material.goals.active("long_term") if (draft := _looked_back(goal, material))]
    if material.level == 3 and len(theme.earlier) >= _RECURRING_DAYS:  # noqa: PLR2004  # the monthly reflection
        drafts.append(_long_goal(theme, material, lang))
    return drafts


def _moved(goal: Goal, told: Sequence[Said], material: ReflectionMaterial) -> GoalDraft | None:
    """Return what the day says about a goal: that it is reached, given up, or goes on."""
    terms, lang = _terms_of(goal), material.sheet.language
    for said in told:
        if said.message.id in goal.evidence or said.is_question:
            continue
        is_reached = bool(_REACHED.search(said.text)) and not said.is_plan and bool((terms & said.terms) - _COMMON)
        if not is_reached and (not terms or not terms <= said.terms):
            continue
        is_done = is_reached or (said.has("done") and not said.is_plan)
        action: Literal["abandon", "complete", "progress"] = (
            "abandon" if said.has("gave_up") else "complete" if is_done else "progress"
        )
        who = call(said.message, material.sheet, lang)
        who = who if lang == "ja" else f"{_capital(who)}: "
        reason = f"{say_calendar_day(said.message.time.date(), lang)} {who}{quoted(said.text, lang)}"
        return GoalDraft(action=action, goal_id=goal.id, reason=reason, evidence=[said.message.id])
    return None


def _looked_back(goal: Goal, material: ReflectionMaterial) -> GoalDraft | None:
    """Return on how many days of the month a long-term goal came up; None if it did not."""
    terms = _terms_of(goal)
    about = [
        e for e in material.episodes if terms and terms <= set(content_words(" ".join([e.summary, *e.key_events])))
    ]
    evidence = list(dict.fromkeys(one for episode in about for one in episode.evidence[:1]))
    if not evidence:
        return None
    dates = _dates(about, material.sheet.language)
    reason = (
        f"この一か月のうち{len(about)}日、その話をした({dates})。"
        if material.sheet.language == "ja"
        else f"It came up on {len(about)} day{'' if len(about) == 1 else 's'} of this month ({dates})."
    )
    return GoalDraft(action="progress", goal_id=goal.id, reason=reason, evidence=evidence[:6])


def _terms_of(goal: Goal) -> set[str]:
    named = re.findall(r"[「“]([^」”]+)[」”]", goal.goal)
    return set(content_words(named[0] if named else goal.goal))


def _is_known(topic: str, material: ReflectionMaterial) -> bool:
    terms = set(content_words(topic))
    goals = [*material.goals.short_term, *material.goals.long_term]
    return not terms or any(len(terms & set(content_words(goal.goal))) * 2 >= len(terms) for goal in goals)


def _wish(said: Said, topic: str, who: str, lang: Lang, *, priority: int) -> GoalDraft:
    goal = f"{who}の「{topic}」を応援する" if lang == "ja" else f"Support {who} with “{topic}”"
    return GoalDraft(action="create", goal=goal, priority=priority, evidence=[said.message.id])


def _long_goal(theme: _Theme, material: ReflectionMaterial, lang: Lang) -> GoalDraft:
    speaker = next((call(s.message, material.sheet, lang) for s in theme.said if s.message.role == "user"), "")
    who = speaker or material.sheet.user_name or ("相手" if lang == "ja" else "you")
    goal = (
        f"{who}と「{theme.topic}」の話を、これからも積み重ねていく"
        if lang == "ja"
        else f"Keep building on what {who} and I share about “{theme.topic}”"
    )
    return GoalDraft(
        action="create", goal=goal, horizon="long_term", related_values=[theme.topic], evidence=theme.evidence
    )


def _dates(episodes: Sequence[Episode], lang: Lang) -> str:
    days: list[date] = list(dict.fromkeys(episode.date for episode in episodes))[:3]
    return ("、" if lang == "ja" else ", ").join(say_calendar_day(day, lang) for day in days)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
