"""What of a mind's answer may become memory. Minds are not trusted: least of all where they quote.

Each check returns the draft with what is sound, or raises `DraftRejectedError` with all reasons at once, in the
persona's language, for a language model to act on. What else is left out is noted on `review`.
"""

import re
from collections.abc import Collection, Sequence

from managers.language.lexicons import word_list
from managers.language.words import sentences
from managers.memory.entities import Entity, is_safe, name_key
from managers.memory.goals import alike
from managers.memory.messages import NAMELESS
from managers.mind import Sheet
from managers.sleep.draft_text import as_text, day_in, line_of, once, shortened
from managers.sleep.hearsay import Telling
from managers.sleep.review import Review, Why
from managers.sleep.tasks import (
    AnswerMaterial,
    DayDraft,
    DayMaterial,
    EntitiesDraft,
    EntityDraft,
    EntityMaterial,
    FactDraft,
    GoalDraft,
    PeriodDraft,
    PeriodMaterial,
    QuestionDraft,
    QuestionMaterial,
    QuestionsDraft,
    ReflectionDraft,
    ReflectionMaterial,
    ResolutionDraft,
    ResolutionsDraft,
)

MAX_SUMMARY = 2000
MAX_INSIGHT = 200
MAX_LOG_ENTRY = 300
MAX_EVENTS = 12
MAX_ENTITIES = 40
MAX_FACTS = 12
MAX_ALIASES = 6
MAX_QUESTIONS = 5
MAX_GOAL_CHANGES = 6
MAX_NEW_GOALS = 2
MAX_VALUES = 5
_THE_USER = frozenset(
    map(name_key, ["ユーザー", "ユーザ", "あなた", "相手", "相手の人", "you", "user", "the other person"])
)
_PRONOUNS = word_list("ja", "pronouns") | word_list("en", "pronouns")
_NAMELESS = frozenset(name_key(name) for name in NAMELESS.values())
_NEEDS_EVIDENCE = frozenset({"create", "progress", "complete"})
_SLOT = re.compile(r"[\w ]{0,30}")
_SUBJECT_JA = "(?:さん|ちゃん|くん|君|様|先生)?(?:は|が|も)"
_SUBJECT_EN = r"(?= (?!and\b))"


def check_period(draft: PeriodDraft, material: PeriodMaterial, review: Review | None = None) -> PeriodDraft:
    """Check what a week or a month is said to have been: it says something about messages of its days.

    Raises:
        DraftRejectedError: it must be mended.
    """
    draft = as_text(draft)
    review = review or Review("period", material.sheet.language)
    review.require_text("summary", draft.summary)
    review.require_evidence("summary", draft.evidence, material.ids)
    review.close()
    return draft.model_copy(update={"summary": draft.summary.strip()[:MAX_SUMMARY], "evidence": once(draft.evidence)})


def check_day(draft: DayDraft, material: DayMaterial, review: Review | None = None) -> DayDraft:
    """Check an episode: it says something, in the persona's language, about messages that exist; `review` takes what is left out.

    Raises:
        DraftRejectedError: it must be mended.
    """
    draft = as_text(draft)
    review = review or Review("episode", material.sheet.language)
    review.require_text("summary", draft.summary)
    review.require_evidence("summary", draft.evidence, material.ids)
    telling, events = Telling(material), []
    said = [(one.text, one.id in draft.evidence) for one in material.messages]
    lines, cited = [text for text, _ in said], [text for text, is_cited in said if is_cited]
    if not review.quotes and (telling.strays(draft.summary, cited) or telling.strays(draft.summary, lines, least=0.2)):
        review.refuse("unsaid", "summary")
    for event in draft.key_events[:MAX_EVENTS]:
        if event.text.strip():
            review.require_evidence("key_events", event.evidence, material.ids)
            if why := _why_not(telling, event.text, event.evidence, review):
                review.leave_out(event.text, why, event.evidence)
                continue
            events.append(event.model_copy(update={"text": line_of(event.text), "evidence": once(event.evidence)}))
    summary = _without_untold(draft.summary.strip(), telling, review)
    review.close(nothing_left=not summary)
    return draft.model_copy(
        update={"summary": summary[:MAX_SUMMARY], "evidence": once(draft.evidence), "key_events": events}
    )


def _without_untold(summary: str, telling: Telling, review: Review) -> str:
    """Return a summary without the sentences that say what nobody told: what the app had recalled, or an error message."""
    found = [] if review.quotes else [(one, why) for one in sentences(summary) if (why := telling.untold(one))]
    for sentence, why in found:
        review.leave_out(sentence, why)
        summary = summary.replace(sentence, "", 1)
    return " ".join(summary.split()) if found else summary


def _why_not(telling: Telling, text: str, evidence: Collection[str], review: Review) -> Why | None:
    """Return why a statement may not become a memory; a mind that quotes says nothing but what was said."""
    why = telling.why_not(text, evidence)
    if review.quotes:
        return why if why == "nobody_said" else None
    return why or ("unsaid" if telling.misses(text, evidence) else None)


def check_entities(draft: EntitiesDraft, material: EntityMaterial, review: Review | None = None) -> EntitiesDraft:
    """Check entities: names that can be files, facts that a person said, each with whom it is about."""
    draft = as_text(draft)
    day = material.day
    review = review or Review("entities", day.sheet.language)
    quotes = review.quotes
    named = [entity if quotes else _named(entity, day.sheet) for entity in draft.entities]
    drafts = named if quotes else _each_with_its_own(named, material)
    known = (text for one in material.known for text in (*one.names, *(fact.text for fact in one.facts)))
    telling, sound = Telling(day, known), []
    for number, entity in enumerate(drafts):
        why = _unfit(entity, quotes=quotes) if number < MAX_ENTITIES else "too_many"
        if why:
            review.leave_out(entity.name, why, [one for fact in entity.facts for one in fact.evidence])
            continue
        facts = _sound_facts(entity, material, telling, review)
        if facts:
            aliases = [one for one in _aliases(entity, drafts, day, quotes=quotes) if quotes or telling.is_name(one)]
            sound.append(entity.model_copy(update={"name": entity.name.strip(), "aliases": aliases, "facts": facts}))
    review.close(nothing_left=bool(draft.entities) and not sound)
    return EntitiesDraft(entities=sound)


def _named(entity: EntityDraft, sheet: Sheet) -> EntityDraft:
    """Return an entity with what the user is called where the model wrote a word for the user."""
    if name_key(entity.name) not in _THE_USER:
        return entity
    return entity.model_copy(update={"name": sheet.user_name or NAMELESS[sheet.language]})


def _unfit(entity: EntityDraft, *, quotes: bool) -> Why | None:
    if not is_safe(entity.name):
        return "unsafe_name"
    return "pronoun" if not quotes and name_key(entity.name) in _PRONOUNS - _NAMELESS else None


def _each_with_its_own(drafts: Sequence[EntityDraft], material: EntityMaterial) -> list[EntityDraft]:
    """Return the drafts with each fact of the user's card that is about somebody else on the card of that one."""
    speakers = _speakers(material.day, material.day.sheet.user_name)
    others: list[EntityDraft | Entity] = [*drafts, *material.known]
    moved: dict[str, EntityDraft] = {}
    for entity in drafts:
        own: list[FactDraft] = []
        for fact in entity.facts:
            owner = _subject(fact.text, others, speakers) if name_key(entity.name) in speakers else None
            if owner is None:
                own.append(fact)
            else:
                there = moved.get(name_key(owner.name), EntityDraft(name=owner.name, kind=owner.kind, facts=[]))
                moved[name_key(owner.name)] = there.model_copy(update={"facts": [*there.facts, fact]})
        before = moved.get(name_key(entity.name))
        facts = [*own, *(before.facts if before else ())]
        moved[name_key(entity.name)] = entity.model_copy(update={"facts": facts})
    return [entity for entity in moved.values() if entity.facts]


def _subject(
    text: str, others: Sequence[EntityDraft | Entity], speakers: Collection[str]
) -> EntityDraft | Entity | None:
    """Return whom a fact tells of, where it begins with the name of somebody who did not speak."""
    for other in others:
        if name_key(other.name) in speakers:
            continue
        for name in (other.name, *other.aliases):
            if re.match(rf"{re.escape(name)}(?:{_SUBJECT_JA}|{_SUBJECT_EN})", text) and name_key(name) not in _PRONOUNS:
                return other
    return None


def _sound_facts(entity: EntityDraft, material: EntityMaterial, telling: Telling, review: Review) -> list[FactDraft]:
    facts = list[FactDraft]()
    for fact in entity.facts:
        evidence = _testimony(fact.evidence, material.day)
        why: Why | None = None
        if not fact.text.strip():
            why = "incomplete"
        elif isinstance(evidence, str):
            why = evidence
        elif review.is_foreign(fact.text):
            why = "language"
        else:
            too_many: Why | None = "too_many" if len(facts) >= MAX_FACTS else None
            why = _why_not(telling, f"{entity.name} {fact.text}", evidence, review) or too_many
        if why or isinstance(evidence, str):
            review.leave_out(f"{entity.name}: {fact.text}", why or "unknown_message", fact.evidence)
            continue
        replaces = fact.replaces.strip(" []")
        is_known = replaces in material.fact_ids
        if replaces and not is_known:
            review.leave_out(f"{entity.name}: replaces {replaces}", "unknown_target", evidence)
        values = {
            "text": line_of(fact.text),
            "evidence": evidence,
            "slot": fact.slot if _SLOT.fullmatch(fact.slot) else "",
            "replaces": replaces if is_known else "",
        }
        facts.append(fact.model_copy(update=values))
    return facts


def _testimony(evidence: Sequence[str], day: DayMaterial) -> list[str] | Why:
    """Return in which messages of some evidence a person speaks (the persona's beside them prove nothing), or why it cannot be taken."""
    if not evidence or not set(evidence) <= day.ids:
        return "unknown_message"
    return [one for one in once(evidence) if one in day.testimony_ids] or "nobody_said"


def _aliases(entity: EntityDraft, drafts: Sequence[EntityDraft], day: DayMaterial, *, quotes: bool) -> list[str]:
    """Return the other names of an entity, none of which is somebody else's; only the user may have spoken under several in a day."""
    sheet, own = day.sheet, name_key(entity.name)
    speakers = _speakers(day, sheet.persona, sheet.user_name)
    users = {name_key(message.speaker) for message in day.messages if message.role == "user"}
    names = {name_key(one.name) for one in drafts}
    others = (speakers | (set() if quotes and own not in speakers else names)) - (
        {own, *users} if own in users else {own}
    )
    found = [alias for alias in entity.aliases if is_safe(alias) and name_key(alias) not in others | _PRONOUNS]
    return found[:MAX_ALIASES]


def _speakers(day: DayMaterial, *others: str) -> set[str]:
    """Return the keys of the names under which somebody spoke on a day, and of some others."""
    return {name_key(name) for name in {*others, *(message.speaker for message in day.messages)} if name}


def check_questions(draft: QuestionsDraft, material: QuestionMaterial, review: Review | None = None) -> QuestionsDraft:
    """Check questions: the most pressing few, each resting on messages that exist."""
    draft = as_text(draft)
    review = review or Review("questions", material.day.sheet.language)
    telling, sound = Telling(material.day), list[QuestionDraft]()
    for question in sorted(draft.questions, key=lambda question: -question.priority):
        why: Why | None = None
        if not question.topic.strip():
            why = "incomplete"
        elif not _rests_on(question.evidence, material.day.ids):
            why = "unknown_message"
        elif review.is_foreign(question.topic + question.context):
            why = "language"
        else:
            too_many: Why | None = "too_many" if len(sound) >= MAX_QUESTIONS else None
            why = _why_not(telling, f"{question.topic} {question.context}", question.evidence, review) or too_many
        if why:
            review.leave_out(question.topic or question.context, why, question.evidence)
            continue
        lines = {name: line_of(getattr(question, name)) for name in ("topic", "context", "about")}
        values = {**lines, "due": day_in(question.due), "evidence": once(question.evidence)}
        sound.append(question.model_copy(update=values))
    review.close(nothing_left=bool(draft.questions) and not sound)
    return QuestionsDraft(questions=sound)


def check_resolutions(
    draft: ResolutionsDraft, material: AnswerMaterial, review: Review | None = None
) -> ResolutionsDraft:
    """Check answers: to questions that are open, resting on messages of persons."""
    draft = as_text(draft)
    review = review or Review("answers", material.day.sheet.language)
    open_ids = {question.id for question in material.open}
    known = (one for one in material.open if not material.origins.get(one.id))
    telling = Telling(material.day, (f"{one.topic} {one.context}" for one in known))
    sound: list[ResolutionDraft] = []
    for answer in draft.resolutions:
        evidence = _testimony(answer.evidence, material.day)
        question_id = answer.question_id.strip(" []")
        if isinstance(evidence, str):
            review.leave_out(answer.answer or question_id, evidence, answer.evidence)
        elif question_id not in open_ids:
            review.leave_out(answer.answer or question_id, "unknown_target", evidence)
        elif not answer.answer.strip():
            review.leave_out(question_id, "incomplete", evidence)
        elif not review.quotes and telling.misses(answer.answer, evidence, ""):
            review.leave_out(answer.answer, "unsaid", evidence)
        else:
            values = {"question_id": question_id, "answer": line_of(answer.answer), "evidence": evidence}
            sound.append(answer.model_copy(update=values))
    review.close(nothing_left=bool(draft.resolutions) and not sound)
    return ResolutionsDraft(resolutions=sound)


def check_reflection(
    draft: ReflectionDraft, material: ReflectionMaterial, review: Review | None = None
) -> ReflectionDraft:
    """Check a reflection: it says something of its own about messages that exist."""
    draft = as_text(draft)
    review = review or Review("reflection", material.sheet.language)
    for name in ("insight", "strategy", "log_entry"):
        review.require_text(name, getattr(draft, name))
    review.require_evidence("insight", draft.evidence, material.ids)
    known = [hit.text for hit in material.past] + [one.topic for one in material.questions]
    known += [" ".join([one.summary, *one.key_events]) for one in material.episodes]
    said = tuple(message for day in material.days for message in day.messages)
    recalled = frozenset(one for day in material.days for one in day.recalled)
    talk = DayMaterial(material.sheet, material.today, said, recalled=recalled)
    telling, own = Telling(talk, known), talk.ids - talk.testimony_ids
    whole = f"{draft.trigger_topic} {draft.insight} {draft.strategy}"
    untold = None if review.quotes else telling.untold(draft.insight)
    if untold == "recalled" or (draft.evidence and own.issuperset(draft.evidence)):
        review.refuse("own_words", "insight")
    elif untold == "error_text":
        review.refuse("error_text", "insight")
    elif not review.quotes and telling.misses(draft.insight, draft.evidence, whole):
        review.refuse("unsaid", "insight")
    if not review.quotes and telling.is_of_document(draft.strategy):
        review.refuse("unsaid", "strategy")
    if not review.quotes and any(draft.insight.strip() == insight.insight.strip() for insight in material.insights):
        review.refuse("repeated")
    review.close()
    return draft.model_copy(
        update={
            "trigger_topic": line_of(draft.trigger_topic),
            "insight": shortened(draft.insight, MAX_INSIGHT),
            "strategy": line_of(draft.strategy),
            "log_entry": shortened(draft.log_entry, MAX_LOG_ENTRY),
            "evidence": once(draft.evidence),
            "values": [line_of(value) for value in draft.values if value.strip()][:MAX_VALUES],
            "goals": _sound_goals(draft.goals, material, telling, review),
        }
    )


def _sound_goals(
    drafts: Sequence[GoalDraft], material: ReflectionMaterial, telling: Telling, review: Review
) -> list[GoalDraft]:
    sound: list[GoalDraft] = []
    for draft in drafts:
        goal = draft.model_copy(
            update={
                "goal": line_of(draft.goal),
                "goal_id": draft.goal_id.strip(" []"),
                "reason": line_of(draft.reason),
                "related_values": [line_of(value) for value in draft.related_values if value.strip()][:MAX_VALUES],
                "evidence": once(draft.evidence),
            }
        )
        why = _unfit_goal(goal, sound, material, review)
        if not why and not review.quotes and telling.is_of_document(f"{goal.goal} {goal.reason}"):
            why = "unsaid"
        if why:
            review.leave_out(goal.goal or goal.reason or goal.goal_id, why, goal.evidence)
        else:
            sound.append(goal)
    return sound


def _unfit_goal(
    goal: GoalDraft, taken: Sequence[GoalDraft], material: ReflectionMaterial, review: Review
) -> Why | None:
    if not _rests_on(goal.evidence, material.ids) and (goal.evidence or goal.action in _NEEDS_EVIDENCE):
        return "unknown_message"
    if len(taken) >= MAX_GOAL_CHANGES:
        return "too_many"
    if review.is_foreign(goal.goal or goal.reason):
        return "language"
    if goal.action == "create":
        return _unfit_new_goal(goal, taken, material)
    found = material.goals.get(goal.goal_id)
    if found is None or found[1].status != "active":
        return "unknown_target"
    needed = {
        "reprioritise": goal.priority is not None,
        "reword": bool(goal.goal),
        "revalue": bool(goal.related_values),
    }
    return None if needed.get(goal.action, bool(goal.reason)) else "incomplete"


def _unfit_new_goal(goal: GoalDraft, taken: Sequence[GoalDraft], material: ReflectionMaterial) -> Why | None:
    new = [one.goal for one in taken if one.action == "create"]
    if not goal.goal:
        return "incomplete"
    if goal.horizon == "long_term" and material.level < 3:  # noqa: PLR2004  # the monthly reflection
        return "only_monthly"
    there = [one.goal for one in material.goals.active(goal.horizon)]
    if any(alike(goal.goal, one) for one in (*there, *new)):
        return "alike"
    return "too_many" if len(new) >= MAX_NEW_GOALS else None


def _rests_on(evidence: Sequence[str], ids: Collection[str]) -> bool:
    return bool(evidence) and all(one in ids for one in evidence)
