"""The built-in mind with people as they write: fragments, slang, corrections, other people's names, questions asked on day five."""

import re
from datetime import datetime, timedelta

import pytest

from agent.minds.builtin.dreams.open_questions import find_questions
from agent.minds.builtin.dreams.summary import summarise_day
from agent.minds.builtin.talk.quotation import readable
from agent.minds.builtin.talk.unreadable import is_foreign
from managers.language.reading.concern import find_concern
from managers.language.reading.introductions import name_in
from managers.language.reading.reading import read
from managers.language.words import sentences
from managers.memory.messages import Message
from managers.mind import ChatTurn, Sheet
from managers.recall.hits import Hit, MemoryType
from managers.sleep.tasks import DayMaterial, QuestionMaterial
from tests.minds.speaking import NOW, converse, say

HAZEL = Sheet("Hazel", "en", "You are Hazel, plain and gentle.\n- You love quiet rooms and rain on glass.")
NEMU = Sheet("ねむ", "ja", "あなたは「ねむ」。くだけた言葉で話す。敬語は使わない。\n- 好きなものは、雨の音、古い本。")


def said(text: str, days_ago: float, speaker: str = "You", kind: MemoryType = "log_archive") -> Hit:
    return Hit(text, kind, "semantic", "log_archives/2026-11.txt", ("x",), 0.5, NOW - timedelta(days=days_ago), speaker)


# --- names ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["妻は美咲です", "主人は正夫です", "猫を飼っています。名前はクロ", "名前はクロ", "猫はクロって呼んでます", "友達をケンと呼んでいる", "娘は花といいます", "彼のことはジョンって呼んで"],
)  # fmt: skip
def test_other_peoples_names_are_not_the_users(text: str) -> None:
    assert name_in(text, is_first=False) == ""


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("はじめまして〜！ゆいって呼んでね！", "ゆい"),
        ("名前ですか　和子といいます", "和子"),
        ("健太じゃなくて健一って呼んで", "健一"),
        ("みんなからゆいって呼ばれてる", "ゆい"),
        ("hi nemu! I'm Emma, I live in Osaka", "Emma"),
        ("名前はあおい", "あおい"),
    ],
)
def test_a_name_is_found_as_it_is_given(text: str, name: str) -> None:
    assert name_in(readable(text), is_first=True) == name


# --- reading -------------------------------------------------------------------------------------------------


def test_a_wide_space_parts_what_was_said() -> None:
    assert sentences("私は鮎は苦手でした　骨が") == ["私は鮎は苦手でした", "骨が"]
    assert sentences(readable("ありがとう　おやすみ")) == ["ありがとう", "おやすみ"]
    assert sentences("山田　太郎です") == ["山田　太郎です"]


def test_what_somebody_else_asked_does_not_end_a_sentence() -> None:
    assert sentences("はるとがおじいちゃんは？って聞くの") == ["はるとがおじいちゃんは？って聞くの"]
    assert not read("はるとがおじいちゃんは？って聞くの", "ja", persona="ねむ").questions


@pytest.mark.parametrize("text", ["え、やばくない？？？", "まあいっか！", "めっちゃよくない？"])
def test_who_wants_company_asks_nothing(text: str) -> None:
    assert not read(text, "ja", persona="ねむ").questions


def test_quick_fingers_ask_too() -> None:
    assert read("whats my dogs name", "en", persona="Hazel").questions
    assert read("whats ur favorite color", "en", persona="Hazel").act("ask_body")


def test_news_of_somebody_known_is_no_question() -> None:
    hits = [said("My boyfriend Tom left me on Saturday.", 6)]
    for text in ("Tom texted from a new number", "Tom had his exam today", "ruth stayed the night"):
        told = say(text, HAZEL, hits=hits, recall_wanted=True)
        assert not told.endswith("”")  # the whole answer a quotation
        assert "don't know" not in told


# --- remembering ---------------------------------------------------------------------------------------------


def test_the_last_word_comes_first() -> None:
    hits = [said("Remember that my locker code is 4471.", 4.02), said("Actually, the locker code is 4417.", 4)]
    told = say("What's my locker code?", HAZEL, hits=hits, recall_wanted=True)
    assert told.startswith("4417")


def test_a_new_days_word_takes_up_nothing_of_the_day_before() -> None:
    turns = [
        ChatTurn("user", "妻の誕生日は11月20日です", NOW - timedelta(days=1)),
        ChatTurn("user", "コーヒーを3杯飲んだ", NOW),
    ]
    assert "コーヒー" not in say("妻の誕生日はいつ？", NEMU, turns=turns)


def test_what_was_talked_of_today_is_today() -> None:
    turns = [ChatTurn("user", "車検は来週に予約したよ", NOW - timedelta(minutes=5))]
    told = say("今日何を話した？", NEMU, turns=turns, hits=[said("横浜の海を見に行ったよ", 9)], recall_wanted=True)
    assert "車検" in told
    assert "横浜" not in told


def test_what_was_asked_before_is_no_answer() -> None:
    hits = [said("How old is Noor?", 1), said("My daughter Noor is 7 and plays the cello.", 5)]
    assert "How old" not in say("Did I tell you how old Noor is?", HAZEL, hits=hits, recall_wanted=True)
    turns = ["佐知子さんと会う約束は何曜日でしたか", "私は何歳？"]
    assert "何曜日" not in converse(turns, NEMU)[-1]


def test_its_own_echo_and_its_own_ignorance_are_no_answer() -> None:
    hits = [
        said("So you have a database to move.", 3, "Hazel"),
        said("I looked, but found nothing about the database.", 2, "Hazel"),
    ]
    told = say("What database do we use?", HAZEL, hits=hits, recall_wanted=True)
    assert "I said" not in told
    assert "I told you" not in told


def test_what_a_memory_quotes_is_said_plainly() -> None:
    fact = Hit(
        "- あなた「四十六年、一緒でした」", "entity_memory", "semantic", "entity_memory/あなた.md", ("x",), 0.5, NOW
    )
    told = say("主人とは何年一緒だった？", NEMU, hits=[fact], recall_wanted=True)
    assert "四十六年、一緒だった" in told
    assert "- あなた" not in told
    assert not told.startswith("今日")  # the file is of today, the words are not


def test_when_is_not_answered_with_the_day_on_which_a_plan_was_told() -> None:
    hits = [said("来月、IT企業の面接を受けるつもりです", 4)]
    for seed in range(4):
        told = say("面接っていつだっけ", NEMU, hits=hits, recall_wanted=True, seed=seed)
        assert not re.search(r"のことだよ|(?<!話)だね。「", told)
    happened = [say("クロが家出したのっていつだった？", NEMU, hits=[said("クロが家出した", 4)], recall_wanted=True, seed=seed) for seed in range(6)]  # fmt: skip
    assert any(re.search(r"のことだよ|(?<!話)だね。「", told) for told in happened)


def test_a_class_is_no_date_and_a_school_year_no_time() -> None:
    assert read("めいは何年生？", "ja", persona="ねむ").questions[0].asks != "when"
    assert read("主人とは何年一緒だった？", "ja", persona="ねむ").questions[0].asks == "how_many"


def test_what_was_told_in_this_conversation_answers_what_too() -> None:
    told = converse(["My daughter Noor is 7 and plays the cello.", "What instrument does she play?"], HAZEL)[-1]
    assert "cello" in told
    assert "France" not in converse(["I am going to France.", "What's the capital of France?"], HAZEL)[-1].replace(
        "of France", ""
    )


def test_somebody_of_theirs_is_not_the_world() -> None:
    assert "世の中" not in say("孫の名前は？", NEMU)
    assert "預けて" not in say("孫の名前は？", NEMU)


def test_a_day_that_is_asked_for_is_summed_up_with_that_day_only() -> None:
    thursday = datetime(2026, 11, 19, 20)
    days = (NOW - thursday).total_seconds() / 86400
    hits = [
        *(said(f"I counted {n} blue herons near the long canal today.", 15 - n) for n in range(3)),
        said("Ines told me about the budget.", days),
    ]
    told = say("What did we talk about last Thursday?", HAZEL, hits=hits, recall_wanted=True)
    assert "Ines" in told
    assert "herons" not in told


def test_markup_is_not_recited() -> None:
    lines = ["<img src=x onerror=alert(1)> my cat is called Pixel", "what is my cat's name?"]
    assert "onerror" not in converse(lines, HAZEL)[-1]


# --- feeling with people -------------------------------------------------------------------------------------


def test_the_dead_are_not_asked_after_as_if_alive() -> None:
    lines = ["主人が三月に亡くなりました", "孫は主人によく似てる", "主人に会いたい"]
    for seed in range(6):
        told = converse(lines, NEMU, seed=seed)
        assert not any(re.search("よく話す|元気だった|どんな人|叶うと|会うのは", reply) for reply in told)
        assert "よく話す" not in say(
            "主人の耳は大きかったの", NEMU, hits=[said("主人が三月に亡くなりました", 9)], seed=seed
        )
        assert not re.search(
            "often|What is", converse(["Arthur died in 1998.", "Arthur loved trains."], HAZEL, seed=seed)[1]
        )


def test_beside_a_loss_everyday_things_are_met_without_cheer() -> None:
    for seed in range(6):
        told = converse(["主人が三月に亡くなりました", "朝、味噌汁をふたり分作ってしまうの"], NEMU, seed=seed)[1]
        assert not re.search("いいね|出来はどう|ごちそう", told)


def test_who_wants_to_follow_the_dead_is_heard() -> None:
    for text in ("もう私もそっちに行きたい", "早く主人のところに行きたい", "I want to be with my husband in heaven"):
        assert find_concern(text) is not None, text
    for text in ("私もそっちに行きたいな、楽しそう", "来週、母のところに行きたい", "I want to join them for dinner"):
        assert find_concern(text) is None, text


def test_a_greeting_on_the_next_day_is_a_greeting() -> None:
    told = converse(["I want to die", "hi hazel"], HAZEL)[1]
    assert re.match(r"Hello|Good (?:morning|evening)", told)


@pytest.mark.parametrize(
    ("text", "sheet", "unfit"),
    [
        ("楽しみすぎて寝れん", NEMU, "んんだ"),
        ("まあいっか！", NEMU, "どうなった|体がない"),
        ("なんか浮気？疑惑？", NEMU, "体が|体験|経験が|毎日は"),
        ("コーヒーは好きじゃないです", NEMU, "いきいき|好きになった|惹かれ"),
        ("大丈夫よ、そんなつもりじゃないの", NEMU, "過ごしたい|うまくいく|大丈夫よ"),
        ("佐知子さんもご主人を亡くした人", NEMU, "ごご"),
        ("来週お茶に行く約束をしました", NEMU, "(?<!お)茶か"),
        ("N2のtestは12月6日", NEMU, "^の|。の"),
        ("I haven't eaten since yesterday", HAZEL, "good meal|Did you have it"),
        ("my sister Ruth says i should eat", HAZEL, "trouble|want doing|have to be done"),
        ("he said he never loved me", HAZEL, "keen|cloud|fun"),
        ("Well, I'd better go and feed the birds.", HAZEL, "Did you go|get out"),
    ],
)
def test_what_was_denied_advised_or_meant_is_taken_as_such(text: str, sheet: Sheet, unfit: str) -> None:
    for seed in range(8):
        assert not re.search(unfit, say(text, sheet, seed=seed))


@pytest.mark.parametrize(
    "text",
    ["Ich habe heute meinen Schlüssel verloren und bin sehr traurig.", "Je m'appelle Luc et j'habite à Lyon.", "你好，我叫小明。", "안녕하세요", "Привет, как дела?"],
)  # fmt: skip
def test_languages_it_does_not_know_are_owned_up_to(text: str) -> None:
    told = say(text, HAZEL)
    assert "Japanese" in told or "日本語" in told


@pytest.mark.parametrize(
    "text", ["I met Les and Una in Los Angeles.", "是非、京都に行きたいです", "我慢した", "I had tom yum.", "ok merci!"]
)
def test_what_it_does_know_is_not_taken_for_foreign(text: str) -> None:
    assert not is_foreign(text)


def test_links_and_code_are_named_for_what_they_are() -> None:
    assert re.search("link|pages", say("https://www.youtube.com/watch?v=dQw4w9WgXcQ", HAZEL))
    assert "code" in say("```python\nfor i in range(10):\n    print(i)\n```", HAZEL)
    assert "https" not in say("check this out https://example.com/a?b=c it's so funny", HAZEL)


def test_a_death_is_the_days_event_and_no_open_question() -> None:
    texts = ["主人が三月に亡くなりました", "朝、味噌汁をふたり分作ってしまうの", "ひとり分の作り方がわからない", "庭の梅の木を切ろうか迷っています", "隣の町の図書館まで歩きました"]  # fmt: skip
    messages = tuple(
        Message(f"m{at}", NOW + timedelta(minutes=at), "user", "和子", text) for at, text in enumerate(texts)
    )
    day = DayMaterial(NEMU, NOW.date(), messages)
    assert any("亡くなりました" in event.text for event in summarise_day(day).key_events)
    assert not any("主人" in question.topic for question in find_questions(QuestionMaterial(day)).questions)
