"""The built-in mind gives nobody's fact for somebody else's: through the whole graph, on the day and after a night."""

import re
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

import pytest

from agent.companion import Companion
from agent.events import Replied
from agent.memories import open_memories
from agent.minds.builtin import BuiltInMind
from agent.sleeper import CompanionSleeper
from managers.language.reading.reading import plain_form
from managers.language.reading.whose import asked_of, told_of
from managers.memory.entities import Fact
from managers.mind import Cancel
from managers.personas import PersonaStore
from managers.storage.errors import Lang
from managers.storage.paths import Home
from managers.storage.settings import Settings
from tests.agent.choosing import Always
from tests.fakes import HandClock
from tests.minds.speaking import fit
from tests.speeds import one_quick

MONDAY = datetime(2026, 11, 16, 20)


class Life:
    """Days with one persona, whom the built-in mind speaks for."""

    def __init__(self, home: Home, clock: HandClock, first: str) -> None:
        lang = fit(first).language
        personas, settings = PersonaStore(home, clock, Random(7)), Settings()
        name, prompt, settings.user.name = {
            "en": ("Nemu", "You are Nemu, warm and casual.", "Aoi"),
            "ja": ("ねむ", "あなたは「ねむ」。くだけた言葉で話す。", "ユウ"),
        }[lang]
        personas.create(name, language=lang, system_prompt=prompt)
        self.memories = open_memories(personas, name, lambda: settings, clock, Random(7))
        self.minds, self.clock = Always(BuiltInMind()), clock
        self.companion = Companion(self.memories, self.minds, clock, Random(7))
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
def lives(tmp_path: Path, clock: HandClock) -> Iterator[Lives]:
    lived: list[Life] = []

    def begin(first: str) -> Life:
        lived.append(Life(Home(tmp_path / f"home {len(lived)}"), clock, first))
        return lived[-1]

    yield begin
    for life in lived:
        life.companion.close()


OWNED_UP = "remember anything|found nothing|nothing about|覚えてない|見つからなかった|記憶にない"


def unknown(fact: str) -> str:
    """Return a pattern of what owns up to not knowing, and does not give this."""
    return f"(?s)^(?!.*{fact}).*(?:{OWNED_UP})"


TOLD = [
    (  # told of others
        ["My sister Ann works at a bakery.", "My friend moved to Berlin.", "My mum is 61.", "My brother's birthday is on 5 May.", "My neighbour's dog is called Rex.", "My dad's favourite food is ramen."],
        {"Where do I work?": unknown("bakery"), "What's my job?": unknown("bakery"), "Where do I live?": unknown("Berlin"), "How old am I?": unknown("61"), "When is my birthday?": unknown("5 May"), "What's my dog's name?": unknown("Rex"), "What's my favourite food?": unknown("ramen")},
    ),
    (
        ["母は看護師です", "弟は札幌に住んでる", "父は61歳です", "妹の誕生日は5月5日だよ", "隣の犬はレックスっていうんだ", "兄の好きな食べ物はラーメンだよ", "推しは東京に住んでいます"],
        {"私の仕事は？": unknown("看護師"), "私はどこに住んでる？": unknown("札幌"), "私はどこに住んでるっけ？": unknown("東京"), "私は何歳？": unknown("61"), "私の誕生日はいつ？": unknown("5月5日"), "私の犬の名前は？": unknown("レックス"), "私の好きな食べ物は？": unknown("ラーメン")},
    ),
    (  # told of the one who is asked about; put right; and in a second clause
        ["My sister is called Ann.", "Ann works at a bakery.", "My friend and I live in Oslo.", "My dog is called Rex.", "It rained.", "Max, not Rex", "My brother is a student and his name is Ryan.", "My brother hates olives.", "My aunt moved to Oslo.", "No, to Bergen, not Oslo.", "I'm a nurse.", "I'm a teacher now."],
        {"Where does my sister work?": "bakery", "Where do I live?": "Oslo", "What's my dog's name?": "^(?:(?!Rex).)*Max", "What's my brother's name?": "^Ryan", "Where did my aunt move?": "^(?:(?!Oslo).)*Bergen", "What's my job?": "^(?:(?!nurse).)*teacher"},
    ),
    (
        ["美咲は妹なんだ。札幌に住んでるよ。", "姪の名前は沙耶だよ", "沙耶じゃなくて沙希だよ", "推しは東京に住んでいます", "父がテレビを直してくれた", "引っ越しは6月なんだ", "今日は雨だった", "仕事も忙しい", "やっぱり6月じゃなくて7月", "弟は大学生で、名前は涼だよ", "弟はオリーブが嫌いなんだ", "私は看護師です", "今は教師です"],
        {"妹はどこに住んでる？": "札幌", "姪の名前は？": "^(?:(?!沙耶).)*沙希", "推しはどこに住んでる？": "東京", "誰がテレビを直した？": "父", "引っ越しはいつ？": "^(?:(?!6月).)*7月", "弟の名前は？": "^涼", "私の仕事は？": "^(?:(?!看護師).)*教師", "私はどこに住んでる？": "^(?!.*(?:札幌|東京))"},
    ),
    (  # told of oneself
        ["I work at a bakery.", "I live in Berlin.", "I'm 34.", "My birthday is on 5 May.", "My dog is called Rex.", "My favourite food is ramen."],
        {"Where does my sister work?": unknown("bakery"), "Where does my sister live?": unknown("Berlin"), "How old is my sister?": unknown("34"), "When is my sister's birthday?": unknown("5 May"), "What's my sister's dog called?": unknown("Rex"), "What's my sister's favourite food?": unknown("ramen")},
    ),
    (
        ["私は看護師です", "札幌に住んでる", "私は34歳です", "私の誕生日は5月5日だよ", "うちの犬はレックスっていうんだ", "好きな食べ物はラーメンだよ"],
        {"妹の仕事は？": unknown("看護師"), "妹はどこに住んでる？": unknown("札幌"), "妹は何歳？": unknown("34"), "妹の誕生日はいつ？": unknown("5月5日"), "妹の犬の名前は？": unknown("レックス"), "妹の好きな食べ物は？": unknown("ラーメン")},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("told", "asked"), one_quick(TOLD, quick=4))
def test_whose_it_is_counts_and_the_last_word_on_it(lives: Lives, told: list[str], asked: dict[str, str]) -> None:
    life = lives(told[0])
    life.say(*told)
    for _ in range(2):
        answers = {question: life.say(question) for question in asked}
        assert {question: told for question, told in answers.items() if not re.search(asked[question], told)} == {}
        life.sleep()


def test_whose_a_question_and_a_sentence_are() -> None:
    wrong = []
    rows: list[tuple[Lang, str, str, bool]] = [
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
    ]
    for lang, question, told, may in rows:
        asked = asked_of(question, plain_form(question, lang), lang)
        wrong += [(question, told)] * ((not asked.is_plain or asked.may_have(told_of(told, lang))) is not may)
    assert wrong == []


def test_a_new_job_ends_the_one_before_on_the_card(lives: Lives) -> None:
    for lines, name in ((["I'm a nurse.", "I'm a teacher now."], "Aoi"), (["私は看護師です", "今は教師です"], "ユウ")):
        life = lives(lines[0])
        for line in lines:
            life.say(line)
            life.sleep()
        card = next(one for one in life.memories.entities.all() if one.name == name)
        works = [(fact.text, bool(fact.until)) for fact in card.lines if isinstance(fact, Fact) and fact.slot == "work"]
        assert [is_over for _, is_over in works] == [True, False]
        assert all(line.rstrip(".") in text for line, (text, _) in zip(lines, works, strict=True))


def test_a_fact_that_is_named_is_let_go(lives: Lives) -> None:
    for told, wish, question in (
        ("My brother hates olives.", "Please forget that my brother hates olives.", "What does my brother hate?"),
        ("弟がオリーブ嫌いなんだ", "弟がオリーブ嫌いだってことは忘れて", "弟は何が嫌い？"),
    ):
        life = lives(told)
        life.say(told)
        assert re.search("let go|forgotten|忘れた", life.say(wish))
        assert not any(told in one.text for one in life.memories.log.messages())
        assert not re.search("olives|オリーブ", life.say(question))
