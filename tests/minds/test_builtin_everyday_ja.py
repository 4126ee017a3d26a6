"""The built-in mind in everyday Japanese: what is told is not taken for a question, and what is asked is met."""

import pytest

from managers.language.reading.introductions import is_about_oneself, name_in
from managers.language.reading.reading import read
from managers.mind import Sheet
from tests.minds.speaking import converse, say

NEMU = Sheet("ねむ", "ja", "あなたは「ねむ」。くだけた言葉で話す。敬語は使わない。")


# --- told, or asked? -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "江ノ島とか。",
        "もっと静か",
        "まじか",
        "カレーとか食べた。ラーメンとか",
        "家族の中だとあの店とか",
        "来週の木曜、健診なんだ。",
    ],
)
def test_what_only_ends_with_the_sign_of_asking_is_told(text: str) -> None:
    assert not read(text, "ja", persona="ねむ").sentences[-1].is_question


@pytest.mark.parametrize(
    "text", ["もう行ったか", "覚えとるか", "それでいいか", "雨か", "誰が来たか知ってるか", "これなんだ"]
)
def test_a_bare_ka_still_asks(text: str) -> None:
    assert read(text, "ja", persona="ねむ").sentences[-1].is_question


def test_who_wants_company_is_answered_about_what_was_told() -> None:
    assert not read("シフト勝手に変えられたんだけどありえなくない？", "ja", persona="ねむ").sentences[-1].is_question


# --- names ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("名前は遥。横浜に住んでる。", "遥"),
        ("わしは茂。岐阜におる。", "茂"),
        ("名前は湊", "湊"),
        ("俺は健太！", "健太"),
    ],
)
def test_a_name_is_given_in_an_early_message_too(text: str, name: str) -> None:
    told = converse(["こんばんは", text, "わたしの名前は？"], NEMU)
    assert f"{name}さん" in told[1]
    assert f"{name}さん" in told[2]


@pytest.mark.parametrize("text", ["名前は秘密", "名前は決まってない", "僕は猫。", "わしは大工。", "わたしは学生"])
def test_what_stands_where_a_name_would_is_not_always_one(text: str) -> None:
    assert name_in(text, is_first=True, is_own=True) == ""


def test_the_name_of_somebody_told_of_is_theirs() -> None:
    assert not is_about_oneself(["猫を飼い始めたよ"])
    said = converse(["猫を飼い始めたよ", "名前はクロ。", "わたしの名前は？"], NEMU)
    assert "クロさん" not in "".join(said)
    assert "ねむというよ" not in said[1]


@pytest.mark.parametrize("text", ["名前は？", "お名前教えて", "名前は何？", "君の名前は？"])
def test_the_personas_name_can_still_be_asked_for(text: str) -> None:
    assert "ねむ" in say(text, NEMU)


def test_who_wants_somebody_to_talk_to_is_talked_to() -> None:
    told = say("退屈だから、話し相手になってくれんか。", NEMU)
    assert "体" not in told
    assert "経験" not in told


# --- what is told is met for what it is ----------------------------------------------------------------------


def _any(text: str, before: tuple[str, ...] = ()) -> list[str]:
    return [converse([*before, text], NEMU, seed=seed)[-1] for seed in range(12)]


@pytest.mark.parametrize(
    "text", ["来週の火曜、湊の健康診断があるの忘れそう", "血圧の薬を飲むんだけど、すぐ忘れる", "電話するの忘れそうだな"]
)
def test_what_might_be_forgotten_is_kept_for_them(text: str) -> None:
    for told in [*_any(text), say(text, NEMU, recall_wanted=True)]:
        assert "覚えてお" in told or "書いておく" in told
        assert "毎日" not in told
        assert "体がない" not in told


def test_what_was_forgotten_is_still_asked_for() -> None:
    told = converse(["妹の誕生日は6月3日なんだ", "妹の誕生日、忘れちゃった"], NEMU, recall_wanted=True)[-1]
    assert "6月3日" in told


@pytest.mark.parametrize("text", ["図書館の怪談とか知ってる？", "おいしい店知ってる？"])
def test_whether_it_knows_something_is_no_question_of_its_body(text: str) -> None:
    assert not any("体がない" in told or "経験" in told or "わたしの毎日" in told for told in _any(text))


@pytest.mark.parametrize(
    "text", ["来週の木曜は整形外科の予約だ。", "明日は早番だから6時起き。やだー", "来月3日おもちのワクチンだった"]
)
def test_an_appointment_or_an_early_shift_is_no_treat(text: str) -> None:
    assert not any("楽しみがひとつ" in told or "準備は" in told or "感じ？" in told for told in _any(text))


def test_that_day_needs_a_day() -> None:
    assert not any("その日は" in told for told in _any("来年は旅行に行く予定"))


@pytest.mark.parametrize("text", ["去年膝を手術してな。", "風邪で熱が出て寝込んだ"])
def test_nobody_is_asked_what_an_illness_is_like(text: str) -> None:
    assert not any("って、どんな感じ" in told for told in _any(text))


@pytest.mark.parametrize(
    "text", ["土曜のライブ行けなくなるかも", "友達の莉子と行く予定だったのに", "蓮と虫を捕りに行く約束をしたんだ"]
)
def test_nobody_has_been_where_they_only_meant_to_go(text: str) -> None:
    assert not any("出かけてきた" in told or "足を運んだ" in told for told in _any(text))


def test_what_somebody_does_for_one_is_a_kindness() -> None:
    assert not any("どんな人" in told or "よく話す" in told for told in _any("夫の健太が夕飯にカレー作ってくれた"))


def test_tears_of_joy_are_no_grief() -> None:
    assert not any("つらかった" in told or "胸が痛む" in told for told in _any("莉子の手紙が優しすぎて泣いた"))


def test_a_cats_deed_is_told_of_the_cat() -> None:
    assert not any("カーテンの話を聞くと、和む" in told for told in _any("うちの猫がカーテン破いた"))


@pytest.mark.parametrize(
    "text", ["眠くなってきた。おやすみ", "じゃあ昼寝するかな。また話そう。", "今日は楽しかった。おやすみ"]
)
def test_nobody_who_leaves_is_asked_anything(text: str) -> None:
    assert not any("？" in told for told in _any(text, ("こんばんは", "今日はカレーを作ったよ")))


def test_grief_before_a_goodnight_is_heard() -> None:
    assert all(len(told) > 20 for told in _any("父が亡くなって、すごく悲しい。おやすみ"))


def test_thinking_aloud_is_joined_in() -> None:
    assert not any("転職って" in told or "できないんだ" in told for told in _any("転職しようかなあ"))


# --- what was told is known later ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("told", "asked", "answer"),
    [
        ("名前は遥。横浜で図書館の司書をしてる。", "私の仕事は？", "司書"),
        ("わしは茂。岐阜で三十年、大工をしとった。", "わしの仕事は何だったか覚えとるか", "大工"),
        ("アパレルで店員してるんだけど、店長がうざい", "私ってどこで働いてるか覚えてる？", "店員"),
    ],
)
def test_the_work_told_is_known_in_the_same_talk(told: str, asked: str, answer: str) -> None:
    said = converse([told, "夫は銀行で働いてる", "昨日は雨だったね", asked], NEMU)
    assert answer in said[-1]
    assert "銀行" not in said[-1]


def test_an_answer_brings_nothing_that_only_stood_beside_it() -> None:
    lines = ["ランドセルは青がいいんだって。", "父が去年の秋に亡くなってね。", "ランドセルは何色がいいって言ってた？"]
    told = converse(lines, NEMU)[-1]
    assert "青" in told
    assert "父" not in told


def test_what_is_said_of_the_thing_itself_answers_first() -> None:
    told = converse(["推しはKENTOくん！", "友達の莉子と行く予定だったのに", "私の推しって誰だっけ？"], NEMU)[-1]
    assert "KENTO" in told
    assert "莉子" not in told


def test_a_sentence_without_a_subject_still_goes_on_with_the_one_before() -> None:
    told = converse(["父とはよく釣りに行ったなあ。江ノ島とか。", "父とどこに釣りに行ったっけ？"], NEMU)[-1]
    assert "江ノ島" in told


def test_a_sum_of_the_day_leaves_out_the_talk_about_talking() -> None:
    lines = [
        "こんばんは。今日から日記がわりに話しかけるね。", "夫の健太がカレー作ってくれた。", "息子の湊は来年小学校なんだ。",
        "父が去年の秋に亡くなってね。", "来週の健康診断があるの忘れそう", "今日話したこと、まとめて",
    ]  # fmt: skip
    told = converse(lines, NEMU)[-1]
    assert "日記" not in told
    assert "忘れそう" not in told
    assert "健太" in told
    assert "父" in told


def test_an_indignant_question_is_not_given_back_as_its_opposite() -> None:
    assert not any("ありえなくないんだ" in told for told in _any("勝手に変えられたんだけどありえなくない？"))


def test_a_wish_for_the_dead_is_no_plan() -> None:
    told = _any("ばあさんの味噌汁がもう一度飲みたいなあ", ("妻の和子は三年前に先に逝ってしもうた。",))
    assert not any("いい望み" in text or "きっかけ" in text or "叶う" in text for text in told)


def test_the_garden_is_taken_up() -> None:
    told = _any("今朝は庭のトマトに水をやったよ。")
    assert all("育ててる" in text or "出来は" in text or "トマト" in text for text in told)


def test_the_hour_is_told_with_the_day() -> None:
    lines = ["来週の木曜は整形外科の予約だ。10時半からだったかな。", "雨だね", "医者の予約はいつだったかな"]
    told = converse(lines, NEMU)[-1]
    assert "木曜" in told
    assert "10時半" in told


def test_an_age_comes_without_a_date_beside_it() -> None:
    told = converse(["おもちは2歳だよ", "来月3日はおもちのワクチンだ", "おもちって何歳？"], NEMU)[-1]
    assert "2歳" in told
    assert "ワクチン" not in told


def test_nobody_yawns_at_a_death() -> None:
    yawning = Sheet("ねむ", "ja", "あなたは「ねむ」。くだけた言葉で話す。「ふあ」「んん」という声がもれることがある。")
    texts = ["妻の和子は三年前に先に逝ってしもうた。", "祖父は十年前に亡くなったんだ"]
    told = [say(text, yawning, seed=seed) for text in texts for seed in range(40)]
    assert not any("ふあ" in text or "んん" in text for text in told)
    assert any("ふあ" in say("今日はカレーを作ったよ", yawning, seed=seed) for seed in range(40))


def test_what_is_said_to_oneself_asks_nobody() -> None:
    assert not read("あの店、閉まるのか…", "ja", persona="ねむ").questions
    assert read("明日は来ますか…", "ja", persona="ねむ").questions


def test_nobody_likes_to_hear_of_an_illness() -> None:
    before = ("カレーを作ったよ", "妹と京都に行った", "映画を見た")
    assert not any("好きなんだ" in told or "聞いていたい" in told for told in _any("娘が熱を出した", before))
