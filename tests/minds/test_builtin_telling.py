"""Reading what was told: whether it asks, what can be given back of it with its grammar intact, what to ask after."""

from dataclasses import replace

from agent.minds.builtin.talk import echo_en, echo_ja
from agent.minds.builtin.talk.quotation import readable
from agent.minds.builtin.talk.unreadable import is_foreign
from agent.minds.builtin.talk.voice import Voice
from managers.language.reading import told_en, told_ja
from managers.language.reading.concern import find_concern
from managers.language.reading.reading import read
from managers.language.reading.told import Told
from managers.language.words import sentences

POLITE = Voice("ja", "しおり", "私", "ユウさん", polite=True)


def japanese(text: str, voice: Voice = POLITE) -> Told:
    sentence = read(text, "ja", persona="しおり").sentences[-1]
    return replace(told_ja.take_up(sentence, voice.you), echo=echo_ja.echo_of(sentence, voice, "しおり"))


def english(text: str) -> Told:
    sentence = read(text, "en", persona="Mia").sentences[-1]
    return replace(told_en.take_up(sentence), echo=echo_en.echo_of(sentence))


JAPANESE = {
    "昨日は妹と京都に行ってきたよ": "昨日は妹さんと京都に行ってきたんですね。",
    "今日は会議で発表しました。": "今日は会議で発表したんですね。",
    "友達に本を借りています": "お友達に本を借りているんですね。",
    "来週は母の誕生日なんだ": "来週はお母さんの誕生日なんですね。",
    "私は朝からずっと本を読んでました": "朝からずっと本を読んでたんですね。",
    "図書館が休みでした": "図書館が休みだったんですね。",
    "あまりお酒は飲みません": "あまりお酒は飲まないんですね。",
    "結局間に合いませんでした": "結局間に合わなかったんですね。",
    "新しい靴が欲しいです": "新しい靴が欲しいんですね。",
    "紅茶が好きです": "紅茶が好きなんですね。",
    "でも来月には引っ越すつもり": "来月には引っ越すつもりなんですね。",
    "うちの猫が窓から出ちゃった": "ユウさんのところの猫が窓から出ちゃったんですね。",
}
ENGLISH = {
    "I went to Kyoto with my sister": "So you went to Kyoto with your sister. ",
    "I'm learning to bake bread": "So you're learning to bake bread. ",
    "Yeah, my brother got a new job": "So your brother got a new job. ",
    "I was really late for work": "So you were really late for work. ",
    "Went to the beach with Emma": "So you went to the beach with Emma. ",
}
NOT_GIVEN_BACK = [
    "あなたはどう思ってるのか気になる", "一緒に行こうよ", "ちゃんと聞いてください", "いい天気ですね",
    "今度こっそり「秘密だよ」と言われた", "京都へ", "しおりと話すのは楽しい",
    "It was great", "You said that before", "Thanks a lot", "What a day", "Maybe next week then",
]  # fmt: skip
TOLD = [
    "江ノ島とか。", "もっと静か", "まじか", "カレーとか食べた。ラーメンとか", "家族の中だとあの店とか", "来週の木曜、健診なんだ。",
    "シフト勝手に変えられたんだけどありえなくない？", "え、やばくない？？？", "まあいっか！", "めっちゃよくない？",
    "はるとがおじいちゃんは？って聞くの", "あの店、閉まるのか…",
]  # fmt: skip
ASKED = [
    "もう行ったか", "覚えとるか", "それでいいか", "雨か", "誰が来たか知ってるか", "これなんだ", "明日は来ますか…",
    "whats my dogs name", "whats ur favorite color",
]  # fmt: skip


def test_what_was_told_is_given_back_with_its_grammar_intact_or_not_at_all() -> None:
    assert {text: japanese(text).echo for text in JAPANESE} == JAPANESE
    assert {text: english(text).echo for text in ENGLISH} == ENGLISH
    assert {text for text in NOT_GIVEN_BACK if (english if text.isascii() else japanese)(text).echo} == set()
    plain = Voice("ja", "しおり", "わたし", "", polite=False)
    assert japanese("昨日は図書館に行きました", plain).echo == "昨日は図書館に行ったんだね。"


def test_phrases_to_ask_after() -> None:
    told = japanese("昨日は友達の佐藤さんと横浜の水族館に行ったよ")
    assert (told.person, told.place, told.act) == ("お友達の佐藤さん", "横浜の水族館", "go")
    assert (told.is_past, told.is_dated) == (True, True)
    told = english("I want to visit the old museum with my friend Tom")
    assert (told.person, told.is_wish, told.act) == ("your friend Tom", True, "go")
    assert [japanese(text).is_wish for text in ("京都に行きたい", "会社に行きたくない")] == [True, False]
    assert not japanese("妹は大阪に住んでる").is_own
    assert [english(text).is_own for text in ("My sister lives in Osaka", "I live in Osaka")] == [False, True]
    cat, sister = english("My cat Momo is funny"), english("My sister Nora lives in York")
    assert (cat.is_pet, cat.person) == (True, "")
    assert (sister.is_pet, sister.person, sister.is_relative) == (False, "your sister Nora", True)


def test_what_is_told_is_told_from_what_is_asked() -> None:
    asking = {
        text for text in [*TOLD, *ASKED] if read(text, "en" if text.isascii() else "ja", persona="ねむ").questions
    }
    assert asking == set(ASKED)
    assert read("めいは何年生？", "ja", persona="ねむ").questions[0].asks != "when"
    assert read("主人とは何年一緒だった？", "ja", persona="ねむ").questions[0].asks == "how_many"


def test_what_it_can_read_is_told_from_what_it_cannot() -> None:
    known = ["I met Les and Una in Los Angeles.", "是非、京都に行きたいです", "我慢した", "I had tom yum.", "ok merci!"]
    assert [text for text in [*known, "你好，我叫小明。"] if is_foreign(text)] == ["你好，我叫小明。"]
    assert sentences("私は鮎は苦手でした　骨が") == ["私は鮎は苦手でした", "骨が"]
    assert sentences(readable("ありがとう　おやすみ")) == ["ありがとう", "おやすみ"]
    assert sentences("山田　太郎です") == ["山田　太郎です"]
    assert sentences("はるとがおじいちゃんは？って聞くの") == ["はるとがおじいちゃんは？って聞くの"]


def test_who_wants_to_follow_the_dead_is_heard() -> None:
    heard = ["もう私もそっちに行きたい", "早く主人のところに行きたい", "I want to be with my husband in heaven"]
    plans = ["私もそっちに行きたいな、楽しそう", "来週、母のところに行きたい", "I want to join them for dinner"]
    assert [text for text in [*heard, *plans] if find_concern(text) is not None] == heard
