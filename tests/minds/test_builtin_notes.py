"""The built-in mind meets somebody: names that are given and used, what it writes down when told to, and what not."""

import re
from dataclasses import replace
from typing import Any

from pydantic import BaseModel

from agent.minds.builtin.talk.quotation import readable
from managers.language.reading.introductions import name_in, name_noted
from managers.mind import ChatTurn, SentFile, TextPiece, ToolCall, ToolSpec
from tests.minds.speaking import DAY_JA, HAZEL, MIA, NEMU, SHIORI, Row, check, converse, fit, pieces, request, say

MET: list[Row] = [
    (("Hi, I'm Aoi", "Hello, I am Aoi.", "hi i'm aoi", "My name is Aoi", "call me Aoi", "Hey there! I'm Aoi. Nice to meet you.", "It's Aoi", "Hi! I'm Aoi Prieto, 41, a nurse in Bristol."), "(?s)(?=.*Aoi)(?=.*Hazel)", "more about"),
    (("こんにちは、あおいです", "あおいっていいます", "私の名前はあおいです", "はじめまして、あおいです。よろしくね", "あおいって呼んで"), "(?s)(?=.*あおいさん)(?=.*はじめまして)", ""),
    ("Hi, I'm Aoi / I baked a cake today / What's my name?", "Aoi", ""),
    (("こんにちは、あおいです / 私の名前、わかる？", "やあ / 私の名前わかる？ / あおい"), "あおいさん", ""),
    ("健太です、よろしく / 名前は本当は健一なんだ / 私の名前は？", "健一さん", ""),
    ("Hi, I'm Tom / My name is actually Thomas, not Tom / What's my name?", "Thomas", ""),
    ("犬を飼ったよ / 名前は本当はポチなんだ", "", "ポチさん"),
    ("猫を飼い始めたよ / 名前はクロ。 / わたしの名前は？", "", "クロさん"),
]  # fmt: skip
NAMES = {
    "はじめまして〜！ゆいって呼んでね！": "ゆい", "名前ですか　和子といいます": "和子", "健太じゃなくて健一って呼んで": "健一",
    "みんなからゆいって呼ばれてる": "ゆい", "hi nemu! I'm Emma, I live in Osaka": "Emma", "名前はあおい": "あおい",
}  # fmt: skip
NO_NAMES = [
    "Hi, I'm tired", "hi, i'm bored", "I'm home", "I'm German", "hello, i'm vegan", "I'm going to bed", "I'm not sure",
    "こんにちは、元気です", "やあ、さむいです", "嬉しいです", "雨です", "おはよう、学生です", "そうです", "call me later",
    "call me when you're done", "My name is really hard to pronounce", "I'm good, a bit sleepy", "It's Tuesday, a busy day",
    "妻は美咲です", "主人は正夫です", "猫はクロって呼んでます", "友達をケンと呼んでいる", "娘は花といいます",
    "彼のことはジョンって呼んで", "私の名前忘れたでしょ", "私の名前、覚えてる？",
]  # fmt: skip


def test_somebody_who_says_their_name_is_greeted_by_it_then_and_afterwards() -> None:
    check(MET, range(2), lambda lines, sheet, *, seed: converse(lines, sheet, seed=seed, tools=())[-1])
    turns = [ChatTurn("user", "what's my name?"), ChatTurn("persona", "You haven't told me. What shall I call you?")]
    assert "Aoi" in say("Aoi", HAZEL, turns=turns)
    assert "Hazel" not in say("what's my name?", HAZEL, notes="I am Hazel. My name is Hazel.")


def test_what_only_stands_like_a_name_is_none() -> None:
    assert {said: name_in(readable(said), is_first=True) for said in NAMES} == NAMES
    assert {said: name for said in NO_NAMES if (name := name_in(said, is_first=True))} == {}


def noted(text: str, sheet: Any, **more: Any) -> ToolCall:
    (call,) = pieces(request(text, sheet, **more))
    assert isinstance(call, ToolCall)
    assert call.name == "edit_notepad"
    return call


def nothing_noted(text: str, sheet: Any, **more: Any) -> bool:
    return all(isinstance(piece, TextPiece) for piece in pieces(request(text, sheet, **more)))


def test_a_name_that_is_put_right_takes_the_place_of_the_one_before() -> None:
    tom, kenta = replace(HAZEL, user_name="Tom"), replace(NEMU, user_name="健太")
    english, japanese = "2026-11-20 Tom said: “My name is Tom”", "2026-11-20 名前は「健太」。"
    for text, sheet, old, name in (
        ("My name is actually Thomas, not Tom", tom, english, "Thomas"),
        ("名前は本当は健一なんだ", kenta, japanese, "健一"),
        ("健太じゃなくて健一だよ", kenta, japanese, "健一"),
    ):
        call = noted(text, sheet, notes=f"2026-11-19 buy milk\n{old}")
        assert (call.arguments["operation"], call.arguments["old_text"]) == ("replace", old)
        assert name_noted(str(call.arguments["text"]), sheet.persona) == name
        assert name in say(text, sheet, tools=())
    assert nothing_noted("My name is actually Thomas", tom, notes="2026-11-19 buy milk")  # it is in the settings


def test_a_name_outlives_the_conversation() -> None:
    for text, asked, name in (
        ("はじめまして、ゆうです。", "私の名前は？", "ゆう"),
        ("Hi, I'm Anna.", "What's my name?", "Anna"),
    ):
        note = str(noted(text, fit(text)).arguments["text"])
        assert name in say(asked, fit(text), notes=note)
        assert nothing_noted(text, fit(text), notes=note)  # once is enough
        assert nothing_noted(text, fit(text), tools=())  # off the record


def test_it_keeps_notes_when_told_to_and_only_then() -> None:
    wrong = []
    for text, kept in {
        "私の誕生日は5月3日だって覚えておいて": "ユウさんの誕生日は5月3日", "火曜日は歯医者、覚えておいてね。": "火曜日は歯医者",
        "牛乳を買うことをメモして": "牛乳を買う",
        "Please remember that my interview is on Monday": "my interview is on Monday",
        "my interview is on Monday, please note that down": "my interview is on Monday",
    }.items():  # fmt: skip
        sheet = MIA if text.isascii() else SHIORI
        call = noted(text, sheet)
        wrong += [text] * (call.arguments["operation"] != "append" or kept not in call.arguments["text"])
        after = [ChatTurn("persona", "", tool_calls=(call,)), ChatTurn("tool", "ok", tool_call_id=call.id)]
        told = say(text, sheet, after=after)
        wrong += [told] * (not re.search(r"書いておきました|書き留めました|残してあります|wrote|written|note", told))
    assert wrong == []
    for text in ("私の名前を覚えてる？", "あの日のこと覚えてる？", "Do you remember my sister?", "I remember that day well", "Remember when we talked about cats?", "メモ帳を買った"):  # fmt: skip
        assert nothing_noted(text, SHIORI)


def test_a_note_that_failed_or_may_not_be_written_is_owned_up_to() -> None:
    text = "牛乳を買うことをメモして"
    call = noted(text, SHIORI)
    refusal = "ディスクの空きがないため書けませんでした。"
    failed = [ChatTurn("persona", "", tool_calls=(call,)), ChatTurn("tool", refusal, tool_call_id=call.id)]
    assert "書けませんでした" in say(text, after=failed)
    assert "書けない" in say(text, tools=())
    for seed in range(6):  # off the record it promises nothing
        assert not any("覚えてお" in one for one in converse([*DAY_JA[:6], "おやすみ"], SHIORI, seed=seed, tools=()))


def test_a_file_that_is_to_be_kept_is_kept_with_its_text_or_owned_up_to() -> None:
    for text in ("このメモを覚えておいて", "これを覚えておいて", "Please remember this note"):
        short = SentFile("買い物.txt", (("", "牛乳と卵を買う。\n金曜に歯医者。"),))
        asked = replace(request(text, MIA if text.isascii() else SHIORI), files=(short,))
        (call,) = pieces(asked)
        assert isinstance(call, ToolCall)
        assert "牛乳と卵を買う。 金曜に歯医者" in str(call.arguments["text"])
        unread = replace(asked.message, attachments=("images/note.png",))
        for case, owned_up in (
            (replace(asked, files=(SentFile("買い物.txt", (("", "牛乳を買う。" * 200),)),)), r"長すぎ|too long"),
            (replace(asked, files=(), message=unread), r"読めない|読めません|can't read"),
        ):
            told = "".join(piece.text for piece in pieces(case) if isinstance(piece, TextPiece))
            assert re.search(owned_up, told)


class What(BaseModel):
    about: str = ""


def test_it_says_what_it_let_go_of_and_claims_nothing_where_it_cannot() -> None:
    tools = (ToolSpec("forget_messages", "Forget", What),)
    for text, answer, told in (
        ("今の話は忘れて", "忘れました: 15:02からのメッセージ2件。会話からも検索からも消えました。", "15:02"),
        ("猫の話は忘れて", "忘れました: 15:02からのメッセージ2件。", "猫"),
        ("Please forget what I just said", "Forgotten: 2 messages, from 15:02. They are out of search.", "15:02"),
    ):
        sheet = MIA if text.isascii() else SHIORI
        (call,) = pieces(request(text, sheet, tools=tools))
        assert isinstance(call, ToolCall)
        after = [ChatTurn("persona", "", tool_calls=(call,)), ChatTurn("tool", answer, tool_call_id=call.id)]
        for seed in range(4):
            said = say(text, sheet, seed=seed, tools=tools, after=after)
            assert told in said
            assert re.search(r"2件|2 messages", said)
    assert "何も忘れていません" in say("今の話は忘れて")
    assert "forgotten nothing" in say("Please forget what I just said", MIA)
