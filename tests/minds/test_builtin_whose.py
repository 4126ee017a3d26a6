"""The built-in mind gives nobody's fact for somebody else's: through the whole graph, on the day and after a night."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from random import Random

import pytest

from agent.companion import Companion
from agent.events import Replied
from agent.memories import open_memories
from agent.minds.builtin import BuiltInMind
from agent.sleeper import CompanionSleeper
from managers.language.reading.reading import plain_form
from managers.language.reading.whose import asked_of, told_of
from managers.language.words import detect_language
from managers.memory.entities import Fact
from managers.mind import Cancel
from managers.personas import PersonaStore
from managers.storage.errors import Lang
from managers.storage.paths import Home
from managers.storage.settings import Settings
from tests.agent.choosing import Always
from tests.fakes import HandClock

MONDAY = datetime(2026, 11, 16, 20)


class Life:
    """Days with one persona, whom the built-in mind speaks for."""

    def __init__(self, home: Home, clock: HandClock, rng: Random, first: str) -> None:
        lang = detect_language(first)
        personas, settings = PersonaStore(home, clock, rng), Settings()
        name, prompt, settings.user.name = {
            "en": ("Nemu", "You are Nemu, warm and casual.", "Aoi"),
            "ja": ("ねむ", "あなたは「ねむ」。くだけた言葉で話す。", "ユウ"),
        }[lang]
        personas.create(name, language=lang, system_prompt=prompt)
        self.memories = open_memories(personas, name, lambda: settings, clock, rng)
        self.minds, self.clock = Always(BuiltInMind()), clock
        self.companion = Companion(self.memories, self.minds, clock, rng)
        clock.set(MONDAY)

    def say(self, *lines: str) -> str:
        """Say some lines; return the answer to the last."""
        said = ""
        for line in lines:
            self.clock.move(minutes=1)
            events = list(self.companion.say(line).events())
            self.companion.settle()
            said = "".join(event.message.text for event in events if isinstance(event, Replied))
        return said

    def sleep(self) -> None:
        """Dream, and begin anew in the morning."""
        self.clock.set(datetime.combine(self.clock.now().date() + timedelta(days=1), MONDAY.time().replace(hour=4)))
        CompanionSleeper(self.memories, self.minds, self.clock).dream(Cancel())
        self.companion.new_topic()
        self.companion.settle()
        self.clock.move(hours=5)


Lives = Callable[[str], Life]


@pytest.fixture
def lives(own_home: Home, clock: HandClock, rng: Random) -> Iterator[Lives]:
    lived: list[Life] = []

    def begin(first: str) -> Life:
        lived.append(Life(own_home, clock, rng, first))
        return lived[-1]

    yield begin
    for life in lived:
        life.companion.close()


TOLD_OF_OTHERS = [
    (
        ["My sister Ann works at a bakery.", "My friend moved to Berlin.", "My mum is 61.", "My brother's birthday is on 5 May.", "My neighbour's dog is called Rex.", "My dad's favourite food is ramen."],
        {"Where do I work?": "bakery", "What's my job?": "bakery", "Where do I live?": "Berlin", "How old am I?": "61", "When is my birthday?": "5 May", "What's my dog's name?": "Rex", "What's my favourite food?": "ramen"},
    ),
    (
        ["母は看護師です", "弟は札幌に住んでる", "父は61歳です", "妹の誕生日は5月5日だよ", "隣の犬はレックスっていうんだ", "兄の好きな食べ物はラーメンだよ", "推しは東京に住んでいます"],
        {"私の仕事は？": "看護師", "私はどこに住んでる？": "札幌", "私はどこに住んでるっけ？": "東京", "私は何歳？": "61", "私の誕生日はいつ？": "5月5日", "私の犬の名前は？": "レックス", "私の好きな食べ物は？": "ラーメン"},
    ),
]  # fmt: skip
TOLD_OF_ONESELF = [
    (
        ["I work at a bakery.", "I live in Berlin.", "I'm 34.", "My birthday is on 5 May.", "My dog is called Rex.", "My favourite food is ramen."],
        {"Where does my sister work?": "bakery", "Where does my sister live?": "Berlin", "How old is my sister?": "34", "When is my sister's birthday?": "5 May", "What's my sister's dog called?": "Rex", "What's my sister's favourite food?": "ramen"},
    ),
    (
        ["私は看護師です", "札幌に住んでる", "私は34歳です", "私の誕生日は5月5日だよ", "うちの犬はレックスっていうんだ", "好きな食べ物はラーメンだよ"],
        {"妹の仕事は？": "看護師", "妹はどこに住んでる？": "札幌", "妹は何歳？": "34", "妹の誕生日はいつ？": "5月5日", "妹の犬の名前は？": "レックス", "妹の好きな食べ物は？": "ラーメン"},
    ),
]  # fmt: skip
OWNED_UP = ("remember anything", "found nothing", "nothing about", "覚えてない", "見つからなかった", "記憶にない")


@pytest.mark.parametrize(("told", "asked"), [*TOLD_OF_OTHERS, *TOLD_OF_ONESELF])
def test_whose_it_is_counts(lives: Lives, told: Sequence[str], asked: dict[str, str]) -> None:
    life = lives(told[0])
    life.say(*told)
    for _ in range(2):
        answers = {question: life.say(question) for question in asked}
        wrong = {q: a for q, a in answers.items() if asked[q] in a or not any(one in a for one in OWNED_UP)}
        assert not wrong
        life.sleep()


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        (
            ["My sister is called Ann.", "Ann works at a bakery.", "My friend and I live in Oslo."],
            {"Where does my sister work?": "bakery", "Where do I live?": "Oslo"},
        ),
        (
            ["美咲は妹なんだ。札幌に住んでるよ。", "推しは東京に住んでいます", "父がテレビを直してくれた"],
            {"妹はどこに住んでる？": "札幌", "推しはどこに住んでる？": "東京", "誰がテレビを直した？": "父"},
        ),
    ],
)  # fmt: skip
def test_what_was_told_of_somebody_is_found(lives: Lives, told: Sequence[str], asked: dict[str, str]) -> None:
    life = lives(told[0])
    life.say(*told)
    for _ in range(2):
        wrong = {question: said for question, one in asked.items() if one not in (said := life.say(question))}
        assert not wrong
        life.sleep()
    own = "Where do I work?" if "My" in told[0] else "私はどこに住んでる？"
    assert not any(one in life.say(own) for one in ("bakery", "札幌", "東京"))


@pytest.mark.parametrize(
    ("lang", "question", "told", "may"),
    [
        ("en", "Where do I work?", "She works at a bank.", False),
        ("en", "Where do I work?", "Tom and I work at a bank.", True),
        ("en", "Where do my parents live?", "My mum and dad live in Leeds.", True),
        ("en", "What did I buy my sister?", "I bought a scarf.", True),
        ("en", "Who came to my party?", "Tom came to the party.", True),
        ("en", "What did I say about the party?", "Tom spilled wine there.", True),
        ("ja", "私はどこで働いてる？", "店員してるんだけど、店長がうざい", True),
        ("ja", "主人とは何年一緒だった？", "四十六年、一緒でした", True),
        ("ja", "母はどこに住んでる？", "お母さんは仙台に住んでる", True),
        ("ja", "母はどこに住んでる？", "仙台に住んでる", False),
    ],
)
def test_whose_a_question_and_a_sentence_are(lang: Lang, question: str, told: str, may: bool) -> None:
    asked = asked_of(question, plain_form(question, lang), lang)
    assert (not asked.is_plain or asked.may_have(told_of(told, lang))) is may


@pytest.mark.parametrize(
    ("lines", "question", "fresh", "stale"),
    [
        (["妹の名前は美咲だよ", "美咲じゃなくて美樹だよ"], "妹の名前は？", "美樹", "美咲"),
        (
            ["引っ越しは6月なんだ", "今日は雨だった", "仕事も忙しい", "やっぱり6月じゃなくて7月"],
            "引っ越しはいつ？",
            "7月",
            "6月",
        ),
        (["私は看護師です", "今は教師です"], "私の仕事は？", "教師", "看護師"),
        (["My dog is called Rex.", "It rained.", "Max, not Rex"], "What's my dog's name?", "Max", "Rex"),
        (["My sister moved to Oslo.", "No, to Bergen, not Oslo."], "Where did my sister move?", "Bergen", "Oslo"),
        (["I'm a nurse.", "I'm a teacher now."], "What's my job?", "teacher", "nurse"),
    ],
)
def test_what_was_put_right_is_the_answer(
    lives: Lives, lines: Sequence[str], question: str, fresh: str, stale: str
) -> None:
    life = lives(lines[0])
    life.say(*lines)
    for _ in range(2):
        answer = life.say(question)
        assert fresh in answer
        assert answer.find(fresh) < answer.find(stale) or stale not in answer
        life.sleep()


@pytest.mark.parametrize(
    ("lines", "name"), [(["I'm a nurse.", "I'm a teacher now."], "Aoi"), (["私は看護師です", "今は教師です"], "ユウ")]
)
def test_a_new_job_ends_the_one_before_on_the_card(lives: Lives, lines: Sequence[str], name: str) -> None:
    life = lives(lines[0])
    for line in lines:
        life.say(line)
        life.sleep()
    card = next(one for one in life.memories.entities.all() if one.name == name)
    works = [(fact.text, bool(fact.until)) for fact in card.lines if isinstance(fact, Fact) and fact.slot == "work"]
    assert [is_over for _, is_over in works] == [True, False]
    assert all(line.rstrip(".") in text for line, (text, _) in zip(lines, works, strict=True))


@pytest.mark.parametrize(
    ("lines", "question", "name"),
    [
        (["弟は大学生で、名前は涼だよ", "弟はオリーブが嫌いなんだ"], "弟の名前は？", "涼"),
        (
            ["My brother is a student and his name is Ryan.", "My brother hates olives."],
            "What's my brother's name?",
            "Ryan",
        ),
    ],
)
def test_a_name_in_a_second_clause_is_found(lives: Lives, lines: Sequence[str], question: str, name: str) -> None:
    life = lives(lines[0])
    life.say(*lines)
    assert life.say(question).startswith(name)


@pytest.mark.parametrize(
    ("told", "wish", "question"),
    [
        ("My brother hates olives.", "Please forget that my brother hates olives.", "What does my brother hate?"),
        ("弟がオリーブ嫌いなんだ", "弟がオリーブ嫌いだってことは忘れて", "弟は何が嫌い？"),
    ],
)
def test_a_fact_that_is_named_is_let_go(lives: Lives, told: str, wish: str, question: str) -> None:
    life = lives(told)
    life.say(told)
    assert any(one in life.say(wish) for one in ("let go", "forgotten", "忘れた"))
    assert not any(told in one.text for one in life.memories.log.messages())
    assert not any(one in life.say(question) for one in ("olives", "オリーブ"))


def test_several_who_are_greeted_are_greeted_back(lives: Lives) -> None:
    assert "こんばんは" in lives("みんな、こんばんは！").say("みんな、こんばんは！")
