"""What the built-in mind writes down when it is told to, and what it does not."""

import re
from dataclasses import replace

import pytest
from pydantic import BaseModel

from managers.mind import (
    ChatTurn,
    SentFile,
    Sheet,
    TextPiece,
    ToolCall,
    ToolSpec,
)
from tests.minds.speaking import DAY_JA, MIA, NOW, SHIORI, converse, pieces, request, say


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("私の誕生日は5月3日だって覚えておいて", "ユウさんの誕生日は5月3日"),
        ("火曜日は歯医者、覚えておいてね。", "火曜日は歯医者"),
        ("牛乳を買うことをメモして", "牛乳を買う"),
        ("覚えておいて。母の名前は和子です", "母の名前は和子です"),
        ("鍵の番号は1234です。これを覚えておいてください", "鍵の番号は1234です"),
    ],
)
def test_it_keeps_notes_when_told_to(text: str, kept: str) -> None:
    asked = request(text)
    (call,) = pieces(asked)
    assert isinstance(call, ToolCall)
    assert call.name == "edit_notepad"
    assert call.arguments["operation"] == "append"
    assert kept in call.arguments["text"]
    answered = [
        ChatTurn("persona", "", tool_calls=(call,)),
        ChatTurn("tool", "メモ帳に書きました。", tool_call_id=call.id),
    ]
    told = say(text, after=answered)
    assert re.search(r"書いておきました|書き留めました|残してあります", told)


@pytest.mark.parametrize(
    "text",
    [
        "Please remember that my interview is on Monday",
        "Can you make a note that my interview is on Monday?",
        "my interview is on Monday. don't forget that",
        "Remember: my interview is on Monday",
        "my interview is on Monday, please note that down",
    ],
)
def test_it_keeps_notes_in_english(text: str) -> None:
    (call,) = pieces(request(text, MIA))
    assert isinstance(call, ToolCall)
    assert "my interview is on Monday" in call.arguments["text"]


@pytest.mark.parametrize(
    "text",
    [
        "私の名前を覚えてる？",
        "あの日のこと覚えてる？",
        "Do you remember my sister?",
        "I remember that day well",
        "Remember when we talked about cats?",
        "メモ帳を買った",
    ],
)
def test_questions_about_memory_are_no_notes(text: str) -> None:
    assert not any(isinstance(piece, ToolCall) for piece in pieces(request(text)))


def test_a_note_that_failed_or_may_not_be_written_is_owned_up_to() -> None:
    text = "牛乳を買うことをメモして"
    (call,) = pieces(request(text))
    assert isinstance(call, ToolCall)
    failed = [
        ChatTurn("persona", "", tool_calls=(call,)),
        ChatTurn("tool", "ディスクの空きがないため書けませんでした。", tool_call_id=call.id),
    ]
    assert "書けませんでした" in say(text, after=failed)
    assert "書けない" in say(text, tools=())


def test_a_bare_date_is_noted_with_what_it_answers() -> None:
    turns = [ChatTurn("user", "私の誕生日、知ってる？", NOW), ChatTurn("persona", "まだ聞いていません。", NOW)]
    (call,) = pieces(request("3月14日だよ、メモしといて", turns=turns))
    assert isinstance(call, ToolCall)
    assert "誕生日" in call.arguments["text"]
    assert "3月14日" in call.arguments["text"]


def test_a_name_is_taken_up_when_it_is_given() -> None:
    sheet = Sheet("ねむ", "ja", "くだけた言葉で話す。")
    assert "ケンさん" in say("僕はケンって呼んで", sheet)
    assert "Ken" in say("call me Ken", Sheet("Hazel", "en", "casual"))


@pytest.mark.parametrize(
    ("text", "asked", "name", "sheet"),
    [
        ("はじめまして、ゆうです。", "私の名前は？", "ゆう", Sheet("ねむ", "ja", "くだけた言葉で話す。")),
        ("Hi, I'm Anna.", "What's my name?", "Anna", Sheet("Hazel", "en", "casual")),
    ],
)
def test_a_name_outlives_the_conversation(text: str, asked: str, name: str, sheet: Sheet) -> None:
    (call,) = pieces(request(text, sheet))
    assert isinstance(call, ToolCall)
    note = str(call.arguments["text"])
    assert name in say(asked, sheet, notes=note)
    assert all(isinstance(piece, TextPiece) for piece in pieces(request(text, sheet, notes=note)))  # once is enough
    assert all(isinstance(piece, TextPiece) for piece in pieces(request(text, sheet, tools=())))  # off the record


def test_off_the_record_it_does_not_promise_to_remember() -> None:
    for seed in range(12):
        told = converse([*DAY_JA[:6], "おやすみ"], SHIORI, seed=seed, tools=())
        assert not any("覚えてお" in reply for reply in told)


@pytest.mark.parametrize("text", ["このメモを覚えておいて", "これを覚えておいて", "Please remember this note"])
def test_a_file_that_is_to_be_kept_is_kept_with_its_text_or_owned_up_to(text: str) -> None:
    sheet = MIA if text.isascii() else SHIORI
    short = replace(request(text, sheet), files=(SentFile("買い物.txt", (("", "牛乳と卵を買う。\n金曜に歯医者。"),)),))
    (call,) = pieces(short)
    assert isinstance(call, ToolCall)
    assert "牛乳と卵を買う。 金曜に歯医者" in str(call.arguments["text"])
    long = replace(short, files=(SentFile("買い物.txt", (("", "牛乳を買う。" * 200),)),))
    told = "".join(piece.text for piece in pieces(long) if isinstance(piece, TextPiece))
    assert re.search(r"長すぎ|too long", told)
    unread = replace(short.message, attachments=("images/note.png",))
    told = "".join(p.text for p in pieces(replace(short, files=(), message=unread)) if isinstance(p, TextPiece))
    assert re.search(r"読めない|読めません|can't read", told)


class What(BaseModel):
    about: str = ""


@pytest.mark.parametrize(
    ("text", "answer", "told"),
    [
        ("今の話は忘れて", "忘れました: 15:02からのメッセージ2件。会話からも検索からも消えました。", "15:02"),
        ("猫の話は忘れて", "忘れました: 15:02からのメッセージ2件。", "猫"),
        ("Please forget what I just said", "Forgotten: 2 messages, from 15:02. They are out of search.", "15:02"),
    ],
)
def test_it_says_what_it_let_go_of(text: str, answer: str, told: str) -> None:
    sheet = MIA if text.isascii() else SHIORI
    tools = (ToolSpec("forget_messages", "Forget", What),)
    (call,) = pieces(request(text, sheet, tools=tools))
    assert isinstance(call, ToolCall)
    after = [ChatTurn("persona", "", tool_calls=(call,)), ChatTurn("tool", answer, tool_call_id=call.id)]
    for seed in range(4):
        said = say(text, sheet, seed=seed, tools=tools, after=after)
        assert told in said
        assert re.search(r"2件|2 messages", said)


@pytest.mark.parametrize(("text", "sheet"), [("今の話は忘れて", SHIORI), ("Please forget what I just said", MIA)])
def test_where_it_cannot_forget_it_claims_nothing(text: str, sheet: Sheet) -> None:
    assert re.search(r"何も忘れていません|forgotten nothing", say(text, sheet))
