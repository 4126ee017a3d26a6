"""Reading what was told: whether it asks, what can be given back of it with its grammar intact, what to ask after."""

from dataclasses import replace

from agent.minds.builtin.talk import echo_en, echo_ja
from agent.minds.builtin.talk.voice import Voice
from managers.language.reading import told_en, told_ja
from managers.language.reading.reading import read
from managers.language.reading.told import Told

POLITE = Voice("ja", "しおり", "私", "ユウさん", polite=True)


def japanese(text: str, voice: Voice = POLITE) -> Told:
    sentence = read(text, "ja", persona="しおり").sentences[-1]
    return replace(told_ja.take_up(sentence, voice.you), echo=echo_ja.echo_of(sentence, voice, "しおり"))


def english(text: str) -> Told:
    sentence = read(text, "en", persona="Mia").sentences[-1]
    return replace(told_en.take_up(sentence), echo=echo_en.echo_of(sentence))


JAPANESE = {
    "昨日は妹と京都に行ってきたよ": "昨日は妹さんと京都に行ってきたんですね。",
    "友達に本を借りています": "お友達に本を借りているんですね。",
    "来週は母の誕生日なんだ": "来週はお母さんの誕生日なんですね。",
    "あまりお酒は飲みません": "あまりお酒は飲まないんですね。",
    "新しい靴が欲しいです": "新しい靴が欲しいんですね。",
    "うちの猫が窓から出ちゃった": "ユウさんのところの猫が窓から出ちゃったんですね。",
}
ENGLISH = {
    "I went to Kyoto with my sister": "So you went to Kyoto with your sister. ",
    "I'm learning to bake bread": "So you're learning to bake bread. ",
    "Yeah, my brother got a new job": "So your brother got a new job. ",
    "I was really late for work": "So you were really late for work. ",
}
NOT_GIVEN_BACK = [
    "あなたはどう思ってるのか気になる", "一緒に行こうよ", "ちゃんと聞いてください", "いい天気ですね",
    "今度こっそり「秘密だよ」と言われた", "京都へ", "しおりと話すのは楽しい",
    "It was great", "You said that before", "Thanks a lot", "What a day", "Maybe next week then",
]  # fmt: skip


def test_what_was_told_is_given_back_with_its_grammar_intact_or_not_at_all() -> None:
    assert {text: japanese(text).echo for text in JAPANESE} == JAPANESE
    assert {text: english(text).echo for text in ENGLISH} == ENGLISH
    assert {text for text in NOT_GIVEN_BACK if (english if text.isascii() else japanese)(text).echo} == set()
    plain = Voice("ja", "しおり", "わたし", "", polite=False)
    assert japanese("昨日は図書館に行きました", plain).echo == "昨日は図書館に行ったんだね。"
