"""What a day left open, and what answered it, as the built-in mind finds it.

Open is: what somebody means to do (how did it go?), what worries them (are they better?), what they
had not decided, and what was asked and never answered. Each question quotes what it rests on.
"""

import re
from collections.abc import Sequence
from typing import Final

from agent.minds.builtin.dreams.statements import ENDS, Said, is_name_of, said_in, tell, topics_of
from agent.minds.builtin.dreams.summary import conversations
from agent.minds.builtin.talk.quotation import between_quotes
from managers.language.dates_in_words import say
from managers.language.emotion import read_emotion
from managers.language.lexicons import word_list
from managers.language.reading.rules import fits, rule, search
from managers.language.reading.values import coming_day
from managers.language.words import content_words, words
from managers.memory.emotions import NEGATIVE
from managers.memory.questions import Question
from managers.mind import Cancel
from managers.sleep.tasks import (
    AnswerMaterial,
    DayMaterial,
    QuestionDraft,
    QuestionMaterial,
    QuestionsDraft,
    ResolutionDraft,
    ResolutionsDraft,
)

MAX_FOUND: Final = 3
_WORRY, _UNDECIDED, _STRIVEN_FOR, _PLANNED, _ASKED = 0.8, 0.65, 0.6, 0.55, 0.5
"""How pressing each kind of question is, 0 to 1."""
_SHARE: Final = 0.6
"""So much of a topic must be shared for two to be the same."""
_LONGEST_TOPIC: Final = 24
_LONGEST_AIM: Final = 8


def find_questions(material: QuestionMaterial, _: Cancel | None = None) -> QuestionsDraft:
    """Return the few most pressing things that the new messages left open."""
    theirs = [said for said in said_in(material.day.new_messages) if said.message.role == "user"]
    names = {message.speaker.casefold() for message in material.day.messages}
    drafts: list[QuestionDraft] = []
    for index, said in enumerate(theirs):
        priority = _priority(said)
        topic = topic_of(said, names) if priority else ""
        if topic and not _is_answered(topic, theirs[index + 1 :]):
            drafts.append(_draft(said, topic, priority, material.day))
    drafts += _never_answered(material.day)
    chosen: list[QuestionDraft] = []
    open_topics = [set(content_words(question.topic)) for question in material.open]
    for draft in sorted(drafts, key=lambda draft: -draft.priority):
        about = set(content_words(draft.topic))
        if not any(len(about & other) > _SHARE * max(1, min(len(about), len(other))) for other in open_topics):
            chosen.append(draft)
            open_topics.append(about)
    return QuestionsDraft(questions=chosen[:MAX_FOUND])


def resolve_questions(material: AnswerMaterial, _: Cancel | None = None) -> ResolutionsDraft:
    """Return the questions that something said since answers: about the same, and told as done or so."""
    answers = [said for said in said_in(material.day.new_messages) if _is_telling(said)]
    found = []
    for question in material.open:
        fits_best = max(((_fit(question, said), said) for said in answers), key=lambda one: one[0], default=None)
        if fits_best is not None and fits_best[0] >= 1.0:
            said = fits_best[1]
            answer = tell("told", said, material.day.sheet)
            found.append(ResolutionDraft(question_id=question.id, answer=answer, evidence=[said.message.id]))
    return ResolutionsDraft(resolutions=found)


def topic_of(said: Said, names: set[str]) -> str:
    """Return in a few words what a sentence is about; empty where it names nothing particular.

    Args:
        said: the sentence.
        names: those of the speakers, in small letters: nobody is what their own talk is about.
    """
    if aim := aim_of(said):
        is_particular = any(not is_name_of(topic, names) for topic in topics_of(words(aim), aim, said.lang))
        return aim if is_particular else ""
    denied = [t for t in said.topics for no in ("ではな", "じゃな") if t + no in said.text]
    topics = [t for t in said.topics if not is_name_of(t, names) and t not in denied]
    if not topics or not word_list(said.lang, "joins_nouns"):
        return max(topics, key=len, default="")
    when = rule(said.lang, "topics", "when")
    bare = [when.sub("", said.text[start:end]) for start, end in _noun_spans(said)]
    fitting = [span for span in bare if any(topic in span for topic in topics) and len(span) <= _LONGEST_TOPIC]
    return max(fitting or topics, key=len)


def aim_of(said: Said) -> str:
    """Return what a sentence says in so many words is meant to be done: "see Nora in May"; empty if nothing."""
    match = search(said.lang, "statements", "aim", said.plain)
    clause = rule(said.lang, "statements", "aim_ends").split(match["aim"])[0] if match else ""
    return " ".join(clause.split()[:_LONGEST_AIM]).rstrip(" ,")


def _priority(said: Said) -> float:
    if said.is_question or said.has("courtesy", "addressed", "request", "gone"):
        return 0.0  # nothing more becomes of the dead
    if said.has("worry") and not said.has("over") and said.is_own and read_emotion(said.text).emotion in NEGATIVE:
        return _WORRY
    if said.is_empty:
        return 0.0
    if said.has("undecided"):
        return _UNDECIDED
    if said.is_plan and (said.is_own or said.drops_subject):
        return _STRIVEN_FOR if said.has("effort") else _PLANNED
    return 0.0


def _noun_spans(said: Said) -> list[tuple[int, int]]:
    """Return the stretches of nouns that stand together or are joined: 夕日ヶ浦の海と天橋立."""
    spans: list[tuple[int, int]] = []
    joined, joints = False, word_list(said.lang, "joins_nouns")
    for word in said.words:
        if word.kind in ("noun", "proper", "number"):
            if spans and word.start == spans[-1][1] + joined:
                spans[-1] = (spans[-1][0], word.end)
            else:
                spans.append((word.start, word.end))
            joined = False
        else:
            joined = word.surface in joints and bool(spans) and word.start == spans[-1][1]
    return spans


def _draft(said: Said, topic: str, priority: float, day: DayMaterial) -> QuestionDraft:
    due = coming_day(said.text, said.message.time.date(), said.lang)
    key = "worry" if priority >= _WORRY else "plan"
    return QuestionDraft(
        topic=topic,
        context=_context(key, said, day),
        priority=priority,
        evidence=[said.message.id],
        about=said.message.speaker,
        due=due.isoformat() if due else "",
    )


def _context(key: str, said: Said, day: DayMaterial) -> str:
    return tell(key, said, day.sheet, day=say("calendar", said.message.time.date(), day.sheet.language))


def _never_answered(day: DayMaterial) -> list[QuestionDraft]:
    """Return what the user asked last in a conversation, with nobody answering."""
    ends = [(talk[-1], said_in(talk[-1:])) for talk in conversations(day.new_messages)]
    asked = [said[-1] for message, said in ends if said and message.role == "user"]
    return [
        QuestionDraft(
            topic=said.topics[-1],
            context=_context("unanswered", said, day),
            priority=_ASKED,
            evidence=[said.message.id],
        )
        for said in asked
        if said.is_question and said.topics
    ]


def _is_answered(topic: str, later: Sequence[Said]) -> bool:
    about = set(content_words(topic))
    return any(_is_telling(said) and said.claims("done") and about & said.terms for said in later)


def _is_telling(said: Said) -> bool:
    """Whether a sentence reports: neither asks, plans, dreams, denies, nor is mere courtesy; 鎌倉に行ってきました tells enough."""
    if said.is_question or said.is_plan:
        return False
    if said.only_mentions(*ENDS):
        return False
    if said.has("brief_report"):
        return True
    if said.has("courtesy") or (said.has("worry") and not said.has("over")):
        return False
    return said.claims("past", *ENDS) and len(said.terms) > 1


def _fit(question: Question, said: Said) -> float:
    """Return how well a sentence answers a question; 1 is enough.

    It must come from whom the question is about, and say again most of what the question is about:
    two words of it, or its only word and another that was said with it at the time. Or it tells how it
    ended with whom or what the topic names: モモちゃん for うちの猫のモモ, Momo for "cat Momo".
    """
    about = set(content_words(question.topic))
    if not about or (question.about and question.about != said.message.speaker):
        return 0.0
    if not said.is_about(f"{question.topic} {between_quotes(question.context)}"):
        return 0.0
    if (_tells_the_end_ja if said.lang == "ja" else _tells_the_end_en)(question, said):
        return 1.0
    same = about & said.terms
    near = len((set(content_words(question.context)) - about) & said.terms)
    if len(same) / len(about) < _SHARE or len(same) + min(1, near) < 2:  # noqa: PLR2004  # words
        return 0.0
    return len(same) / len(about) + 0.15 * min(2, near) + (0.5 if said.has("done", "over", "gave_up") else 0.3)


def _tells_the_end_en(question: Question, said: Said) -> bool:
    names = {term for word in words(question.topic) if word.kind == "proper" for term in content_words(word.surface)}
    if said.has("been") and 2 * len(names & said.terms) >= max(2, len(names)):
        return True  # where one meant to go, with whomever
    return bool(names) and names <= said.terms and said.has("over")


def _tells_the_end_ja(question: Question, said: Said) -> bool:
    """Whether the undecided is decided, one was where one meant to go, or it is over with whom the topic names."""
    if fits("ja", "statements", "wavers", question.context) and said.has("decided"):
        return bool(set(content_words(question.topic)) & said.terms)
    place = re.split("[のとや]", question.topic)[-1]
    if _is_named(place) and said.has("been") and said.terms >= set(content_words(place)):
        return True
    head = question.topic.rsplit("の", 1)[-1]
    terms = set(content_words(head))
    if not terms or not terms <= said.terms:
        return False
    is_over = said.has("done", "over", "gave_up")
    if len(terms) > 1:  # 貴船神社, 発表会: a name, or as good as one
        return is_over or said.has("been")
    is_called = any(f"{head}{title}" in question.context for title in word_list("ja", "honorifics"))
    return is_over and (is_called or fits("ja", "topics", "pet", question.topic) or _is_named(head))


def _is_named(text: str) -> bool:
    return any(word.kind == "proper" for word in words(text))
