"""What a day left open, and what answered it, as the built-in mind finds it.

Open is: what somebody means to do (how did it go?), what worries them (are they better?), what they
had not decided, and what was asked and never answered. Each question quotes what it rests on.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from agent.minds.builtin.dreams.statements import Said, call, cue, quoted, said_in, told_by_persons, topics_of
from agent.minds.builtin.dreams.summary import conversations, is_name_of
from agent.minds.builtin.talk.dates_in_words import say_calendar_day
from managers.language.emotion import read_emotion
from managers.language.words import content_words, words
from managers.memory.emotions import NEGATIVE
from managers.memory.questions import Question
from managers.sleep.tasks import (
    AnswerMaterial,
    QuestionDraft,
    QuestionMaterial,
    QuestionsDraft,
    ResolutionDraft,
    ResolutionsDraft,
)
from managers.storage.errors import Lang

MAX_FOUND = 3
_CLAUSE = re.compile(
    r"\b(?:going to|gonna|planning (?:to|on)|plan to|thinking (?:about|of)|looking forward to|off to|about to|hoping to|hope to"
    r"|want to|wanna|(?:'d|would) (?:love|like) to|signed up for|my (?:goal|dream) is to|looking into|researching)\s+([^.!?;,–—]{4,70})",
    re.IGNORECASE,
)
_CUT = re.compile(r"\s+(?:-|and how|and they|because|so that|so|but|when|where|if|since|too|yesterday)\b|\s-\s|- ")
_SHARE = 0.6
_BEEN = re.compile(r"(行った|行って[き来]|来た|見た|見て[き来]|会った|会って[き来]|出た)(?!ら|り)")
_OFF_TO = re.compile("て[き来](ます|ますね|まーす)")
_WENT = re.compile(r"\b(?:went|visited|(?:have|'ve) been|(?:came|are|am|'re|'m) (?:just )?back)\b", re.IGNORECASE)
_UNDECIDED = re.compile("迷って|悩んで|決めかね|どうしよう")
_DECIDED = re.compile("ことにし(た|まし)|ことに決め(た|まし)|決め(た|まし)|決まっ(た|て)|決まりまし|やめ(た|まし)")
_PETS_NAME = re.compile("(猫|犬|鳥|うさぎ|ハムスター|ペット)の[ァ-ヶー一-龯ぁ-ん]{1,8}$")
_TITLES = ("ちゃん", "さん", "くん", "君")
_LONGEST_TOPIC = 24


def find(material: QuestionMaterial) -> QuestionsDraft:
    """Return the few most pressing things that the new messages left open."""
    day = material.day
    lang = day.sheet.language
    told = [said for said in told_by_persons(day.new_messages) if said.message.role == "user"]
    names = {message.speaker.casefold() for message in day.messages}
    drafts: list[QuestionDraft] = []
    for index, said in enumerate(told):
        priority = _priority(said)
        topic = _topic(said, names) if priority else ""
        if topic and not _answered(topic, told[index + 1 :]):
            drafts.append(_draft(said, topic, priority, day.sheet.language, call(said.message, day.sheet, lang)))
    drafts += _never_answered(material)
    ranked = sorted(drafts, key=lambda draft: -draft.priority)
    chosen: list[QuestionDraft] = []
    open_topics = [set(content_words(question.topic)) for question in material.open]
    for draft in ranked:
        about = set(content_words(draft.topic))
        if not any(len(about & other) > _SHARE * max(1, min(len(about), len(other))) for other in open_topics):
            chosen.append(draft)
            open_topics.append(about)
    return QuestionsDraft(questions=chosen[:MAX_FOUND])


def resolve(material: AnswerMaterial) -> ResolutionsDraft:
    """Return the questions that something said since answers: about the same, and told as done or so."""
    answers = [said for said in told_by_persons(material.day.new_messages) if _is_telling(said) or _is_brief(said)]
    found = []
    for question in material.open:
        about = frozenset(content_words(question.topic))
        context = frozenset(content_words(question.context)) - about
        fits = [(_fit(question, about, context, said), said) for said in answers]
        fit, best = max(fits, key=lambda one: one[0], default=(0.0, None))
        if best is not None and fit >= 1.0:
            found.append(
                ResolutionDraft(question_id=question.id, answer=_answer(best, material), evidence=[best.message.id])
            )
    return ResolutionsDraft(resolutions=found)


def _priority(said: Said) -> float:
    if said.is_question or any(said.has(sign) for sign in ("courtesy", "addressed", "request", "gone")):
        return 0.0  # nothing more becomes of the dead
    if said.has("worry") and not said.has("over") and said.is_own and read_emotion(said.text).emotion in NEGATIVE:
        return 0.8
    if said.is_empty:
        return 0.0
    if said.has("undecided"):
        return 0.65
    if said.is_plan and (said.is_own or said.lang == "ja"):
        return 0.6 if said.has("effort") else 0.55
    return 0.0


def _topic(said: Said, names: set[str]) -> str:
    """Return in a few words what a sentence is about."""
    if said.lang == "en" and (match := _CLAUSE.search(said.text.replace("’", "'"))):
        clause = _CUT.split(match.group(1))[0]
        clause = " ".join(clause.split()[:8]).rstrip(" ,")
        is_particular = any(not is_name_of(topic, names) for topic in topics_of(words(clause), clause, "en"))
        return clause if is_particular else ""
    topics = [
        t for t in said.topics if not is_name_of(t, names) and not re.search(re.escape(t) + "(では|じゃ)な", said.text)
    ]
    if not topics:
        return ""
    if said.lang == "en":
        return max(topics, key=len)
    spans = [said.text[start:end] for start, end in _noun_spans(said)]
    bare = [re.sub("^(今まで|今日|今度|今週|今月|今|最近|明日|来週|来月|来年|次)(は|の)?", "", span) for span in spans]
    fitting = [span for span in bare if any(topic in span for topic in topics) and len(span) <= _LONGEST_TOPIC]
    return max(fitting or topics, key=len)


def _noun_spans(said: Said) -> list[tuple[int, int]]:
    """Return the stretches of nouns that の, と and や join: 夕日ヶ浦の海と天橋立."""
    spans: list[tuple[int, int]] = []
    joined = False
    for word in said.words:
        if word.kind in ("noun", "proper", "number"):
            if spans and word.start == spans[-1][1] + joined:
                spans[-1] = (spans[-1][0], word.end)
            else:
                spans.append((word.start, word.end))
            joined = False
        else:
            joined = word.surface in ("の", "と", "や") and bool(spans) and word.start == spans[-1][1]
    return spans


def _draft(said: Said, topic: str, priority: float, lang: Lang, who: str) -> QuestionDraft:
    day = say_calendar_day(said.message.time.date(), lang)
    if lang == "ja":
        after = "その後どうなったか知りたい。" if priority < 0.8 else "いまはどうしているか気になる。"  # noqa: PLR2004  # a worry
        context = f"{day}に{who}が{quoted(said.text, lang)}と話していた。{after}"
    else:
        after = "I would like to know what became of it." if priority < 0.8 else "I wonder how that is now."  # noqa: PLR2004  # a worry
        context = f"On {day} {who} said, {quoted(said.text, lang)} {after}"
    return QuestionDraft(
        topic=topic, context=context, priority=priority, evidence=[said.message.id], about=said.message.speaker
    )


def _never_answered(material: QuestionMaterial) -> list[QuestionDraft]:
    """Return what the user asked last in a conversation, with nobody answering."""
    day = material.day
    lang = day.sheet.language
    found = []
    for talk in conversations(day.new_messages):
        last = said_in(talk[-1:])
        if not last or talk[-1].role != "user" or not last[-1].is_question or not last[-1].topics:
            continue
        who = call(talk[-1], day.sheet, lang)
        text = quoted(last[-1].text, lang)
        context = (
            f"{say_calendar_day(talk[-1].time.date(), lang)}に{who}が{text}と尋ねたまま、答えていない。"
            if lang == "ja"
            else f"On {say_calendar_day(talk[-1].time.date(), lang)} {who} asked {text} and got no answer."
        )
        found.append(QuestionDraft(topic=last[-1].topics[-1], context=context, priority=0.5, evidence=[talk[-1].id]))
    return found


def _answered(topic: str, later: Sequence[Said]) -> bool:
    about = set(content_words(topic))
    return any(_is_telling(said) and said.has("done") and about & said.terms for said in later)


def _is_telling(said: Said) -> bool:
    """Whether a sentence reports: neither asks, nor plans, nor is mere courtesy."""
    if said.is_question or said.has("courtesy") or said.is_plan or (said.has("worry") and not said.has("over")):
        return False
    return (said.is_past or said.has("done") or said.has("over") or said.has("gave_up")) and len(said.terms) > 1


def _is_brief(said: Said) -> bool:
    """Whether a short sentence tells all the same: 鎌倉に行ってきました, 転職することにしました."""
    if said.is_question or said.is_plan or said.lang != "ja" or _OFF_TO.search(said.text):
        return False
    return bool(_BEEN.search(said.text) or _DECIDED.search(said.text))


def _fit(question: Question, about: frozenset[str], context: frozenset[str], said: Said) -> float:
    """Return how well a sentence answers a question; 1 is enough.

    It must come from whom the question is about, and say again most of what the question is about:
    two words of it, or its only word and another that was said with it at the time. Or it tells how it
    ended with whom or what the topic names: モモちゃん for うちの猫のモモ, Momo for "cat Momo".
    """
    if not about or (question.about and question.about != said.message.speaker):
        return 0.0
    if _tells_the_end(question, said):
        return 1.0
    same = about & said.terms
    near = len(context & said.terms)
    if len(same) / len(about) < _SHARE or len(same) + min(1, near) < 2:  # noqa: PLR2004  # words
        return 0.0
    told = 0.5 if said.has("done") or said.has("over") or said.has("gave_up") else 0.3
    return len(same) / len(about) + 0.15 * min(2, near) + told


def _tells_the_end(question: Question, said: Said) -> bool:
    if said.lang == "en":
        names = {
            term for word in words(question.topic) if word.kind == "proper" for term in content_words(word.surface)
        }
        if _WENT.search(said.text) and 2 * len(names & said.terms) >= max(2, len(names)):
            return True  # where one meant to go, with whomever
        return bool(names) and names <= said.terms and said.has("over")
    if _is_decided_or_visited(question, said):
        return True
    head = question.topic.rsplit("の", 1)[-1]
    terms = set(content_words(head))
    if not terms or not terms <= said.terms:
        return False
    is_over = said.has("done") or said.has("over") or said.has("gave_up")
    if len(terms) > 1:  # 貴船神社, 発表会: a name, or as good as one
        return is_over or bool(_BEEN.search(said.text))
    is_name = any(f"{head}{title}" in question.context for title in _TITLES)
    is_name = is_name or bool(_PETS_NAME.search(question.topic))
    return is_over and (is_name or any(word.kind == "proper" for word in words(head)))


def _is_decided_or_visited(question: Question, said: Said) -> bool:
    """Whether a Japanese sentence says that the undecided is decided, or that one was where one meant to go."""
    if _UNDECIDED.search(question.context) and _DECIDED.search(said.text):
        return bool(set(content_words(question.topic)) & said.terms)
    place = re.split("[のとや]", question.topic)[-1]
    is_name = any(word.kind == "proper" for word in words(place))
    return is_name and bool(_BEEN.search(said.text)) and said.terms >= set(content_words(place))


def _answer(said: Said, material: AnswerMaterial) -> str:
    lang = material.day.sheet.language
    who = call(said.message, material.day.sheet, lang)
    return f"{who}{quoted(said.text, lang)}" if lang == "ja" else f"{_capital(who)}: {quoted(said.text, lang)}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def is_effort(said: Said) -> bool:
    """Whether somebody says what they strive for."""
    return (
        said.is_own
        and not said.is_question
        and bool(cue(said.lang, "effort").search(said.text))
        and not said.has("vague_plan")
    )


def has_clause(said: Said) -> bool:
    """Whether an English sentence says in so many words what is meant to be done."""
    return bool(_CLAUSE.search(said.text.replace("’", "'")))


def topic_of(said: Said, names: set[str]) -> str:
    """Return in a few words what a sentence is about."""
    return _topic(said, names)
