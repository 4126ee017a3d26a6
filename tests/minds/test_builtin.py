"""The built-in mind in conversation: voices, languages, quotes, notes, care, odd messages."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest
from pydantic import BaseModel

from agent.minds.builtin import BuiltInMind
from agent.minds.builtin.introducing import name_noted
from managers.language.concern import find_concern, help_lines
from managers.language.emotion import read_emotion
from managers.language.words import detect_language
from managers.memory.messages import Message
from managers.mind import (
    Cancel,
    ChatTurn,
    Concern,
    EmotionReading,
    Image,
    OpenQuestion,
    ReplyPiece,
    ReplyRequest,
    Sheet,
    TextPiece,
    ToolCall,
    ToolSpec,
)
from managers.recall.hits import Hit

NOW = datetime(2026, 11, 21, 15, 0)
SHIORI = Sheet("しおり", "ja", "あなたは「しおり」。一人称は「私」。丁寧な話し方をする。", "ユウ")
MIA = Sheet("Mia", "en", "You are Mia, warm and casual.", "Alex")


class Note(BaseModel):
    operation: str
    text: str


NOTEPAD = ToolSpec("edit_notepad", "Write a note", Note)


def request(
    text: str,
    sheet: Sheet = SHIORI,
    *,
    turns: Sequence[ChatTurn] = (),
    after: Sequence[ChatTurn] = (),
    hits: Sequence[Hit] = (),
    recall_wanted: bool = False,
    notes: str = "",
    questions: Sequence[OpenQuestion] = (),
    tools: Sequence[ToolSpec] = (NOTEPAD,),
    now: datetime = NOW,
    images: tuple[Image, ...] = (),
) -> ReplyRequest:
    reading = read_emotion(text, [sheet.persona])
    kind = find_concern(text)
    return ReplyRequest(
        sheet=sheet,
        system="",
        turns=[*turns, ChatTurn("user", text, now, images=images), *after],
        message=Message("m1", now, "user", sheet.user_name or "User", text),
        now=now,
        hits=hits,
        recall_wanted=recall_wanted,
        notes=notes,
        emotion=EmotionReading(reading.emotion, reading.confidence),
        questions=questions,
        tools=tools,
        concern=Concern(kind, help_lines(detect_language(text), kind)) if kind else None,
    )


def pieces(asked: ReplyRequest, seed: int = 0) -> list[ReplyPiece]:
    return list(BuiltInMind(seed).reply(asked, Cancel()))


def say(text: str, sheet: Sheet = SHIORI, *, seed: int = 0, **more: Any) -> str:
    found = pieces(request(text, sheet, **more), seed)
    if found and isinstance(call := found[0], ToolCall) and name_noted(str(call.arguments["text"]), sheet.persona):
        done = [ChatTurn("persona", "", tool_calls=(call,)), ChatTurn("tool", "ok", tool_call_id=call.id)]
        found = pieces(request(text, sheet, **{**more, "after": done}), seed)  # as the graph does
    assert all(isinstance(piece, TextPiece) for piece in found)
    return "".join(piece.text for piece in found if isinstance(piece, TextPiece))


def hit(text: str, when: datetime, speaker: str = "ユウ") -> Hit:
    return Hit(text, "log_archive", "semantic", "log_archives/2026-08.txt", ("x",), 0.5, when, speaker)


def converse(lines: Sequence[str], sheet: Sheet, **more: Any) -> list[str]:
    turns: list[ChatTurn] = []
    said = []
    for place, line in enumerate(lines):
        now = NOW + timedelta(minutes=2 * place)
        said.append(say(line, sheet, turns=turns, now=now, **more))
        turns += [ChatTurn("user", line, now), ChatTurn("persona", said[-1], now)]
    return said


# --- the seam ------------------------------------------------------------------------------------------------


def test_it_speaks_in_pieces_and_the_same_way_again() -> None:
    asked = request("昨日は妹と京都に行ってきたよ")
    first, second = pieces(asked), pieces(asked)
    assert first == second
    assert len(first) > 2


def test_another_seed_may_choose_other_words() -> None:
    assert len({say("今日は映画を見てきたよ", seed=seed) for seed in range(8)}) > 1


def test_cancel_stops_it_at_the_next_piece() -> None:
    cancel = Cancel()
    stream = BuiltInMind().reply(request("あなたは何者ですか？"), cancel)
    next(stream)
    cancel.set()
    assert list(stream) == []


def test_what_it_is() -> None:
    mind = BuiltInMind()
    assert mind.name == "built-in"
    assert not mind.can_see
    assert mind.count_tokens("あいう") >= 3
    assert "言語モデル" in say("あなたはAIなの？")
    assert "language model" in say("Are you a real person?", MIA)


# --- voice and language --------------------------------------------------------------------------------------


def test_it_answers_in_the_language_of_the_message() -> None:
    assert detect_language(say("I went to Kyoto with my sister yesterday")) == "en"
    assert detect_language(say("昨日は京都に行ったよ", MIA)) == "ja"


@pytest.mark.parametrize(
    ("prompt", "i", "sign"),
    [
        ("一人称は「僕」。タメ口で話す。", "僕", r"(?:だよ|んだ|ない|てる)"),
        ("一人称は「わし」、語尾は「のじゃ」。", "わし", r"(?:じゃ|のじゃ|ぞ)"),
        ("「ボクはタマだにゃ。よろしくにゃ」", "ボク", r"にゃ"),
        ("一人称は「うち」。関西弁で話す。", "うち", r"(?:ねん|やで|や。)"),
        ("お嬢様言葉。「わたくし、紅茶が好きですわ」", "わたくし", r"わ。"),
        ("一人称は「わたし」。くだけた言葉で話す。敬語は使わない。", "わたし", r"(?:だよ|んだ|ない)"),
    ],
)
def test_it_speaks_in_the_personas_voice(prompt: str, i: str, sign: str) -> None:
    sheet = Sheet("タマ", "ja", prompt, "ユウ")
    told = say("あなたは何者？", sheet) + say("あなたは人間なの？", sheet, seed=3)
    assert i in told
    assert re.search(sign, told)
    assert "です。" not in told


def test_it_calls_the_user_as_its_sheet_says() -> None:
    sheet = Sheet("コン", "ja", "ユーザーのことは「おぬし」と呼ぶ。一人称は「わし」。語尾は「のじゃ」。", "ユウ")
    assert any("おぬし" in say("おやすみ", sheet, seed=seed) for seed in range(6))


def test_it_learns_a_name_that_was_given() -> None:
    sheet = Sheet("ねむ", "ja", "くだけた言葉で話す。")
    turns = [ChatTurn("user", "はじめまして、ミナといいます"), ChatTurn("persona", "はじめまして。")]
    assert "ミナさん" in say("私の名前、わかる？", sheet, turns=turns)
    assert "ミナ" not in say("私の名前、わかる？", sheet)


def test_quotations_keep_their_own_endings() -> None:
    sheet = Sheet("タマ", "ja", "「ボクはタマだにゃ。よろしくにゃ」", "ユウ")
    told = say(
        "私の好きな花は何だっけ？",
        sheet,
        hits=[hit("好きな花はガーベラだよ。", datetime(2026, 8, 13))],
        recall_wanted=True,
    )
    assert "「好きな花はガーベラだよ」" in told


# --- the past ------------------------------------------------------------------------------------------------

FLOWERS = [
    hit("花屋さんで働いてみたいと思ったことがあります", datetime(2026, 9, 1)),
    hit("好きな花はガーベラです。", datetime(2026, 8, 13)),
]


def test_it_quotes_the_sentence_that_answers_with_when_it_was_said() -> None:
    told = say("私の好きな花って何だったっけ？", hits=FLOWERS, recall_wanted=True)
    assert "「好きな花はガーベラです」" in told
    assert "8月13日" in told


def test_it_says_who_said_it() -> None:
    hits = [hit("フルーツグラノーラがおすすめですよ", datetime(2026, 11, 20), "しおり")]
    told = say("あなたが前におすすめしてくれた朝ごはんは何でしたっけ？", hits=hits, recall_wanted=True)
    assert "昨日" in told
    assert re.search(r"私(?:は|のほうから)「フルーツグラノーラ", told)
    english = say(
        "What breakfast did you recommend?",
        MIA,
        hits=[hit("I recommend granola for breakfast.", NOW - timedelta(days=1), "Mia")],
        recall_wanted=True,
    )
    assert re.search(r"Yesterday I (?:said|told you): “I recommend granola", english)


@pytest.mark.parametrize(
    ("days", "ja", "en"),
    [
        (0, "今日の朝", "earlier today"),
        (1, "昨日", "yesterday"),
        (2, "おととい", "on Thursday"),
        (4, "4日前の火曜日", "on Tuesday"),
        (8, "先週の金曜日", "last Friday"),
        (60, "9月22日", "on 22 September"),
        (400, "去年の10月17日", "on 17 October last year"),
        (1500, "2022年10月13日", "on 13 October 2022"),
    ],
)
def test_when_is_said_as_people_say_it(days: int, ja: str, en: str) -> None:
    then = datetime(2026, 11, 21, 9, 0) - timedelta(days=days)
    assert ja in say("猫の名前を覚えてる？", hits=[hit("猫の名前はミケです", then)], recall_wanted=True)
    told = say("What is my cat's name?", MIA, hits=[hit("My cat's name is Biscuit.", then, "Alex")], recall_wanted=True)
    assert en in told.replace("Yesterday", "yesterday").replace("On ", "on ").replace("Last", "last").replace(
        "Earlier", "earlier"
    )


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        ("Who did I go to the concert with?", "I went to the concert with Emma.", "The concert was loud."),
        ("How many plants do I have?", "I have seven plants now.", "I love my plants."),
        ("Where did I buy my bike?", "I bought my bike in Portland.", "My bike is so fast."),
        ("誰と映画に行ったっけ？", "映画は佐藤さんと行ったよ。", "映画は長かった。"),
        ("本は何冊買った？", "本を三冊買ったんだ。", "本を買うのが好き。"),
    ],
)
def test_the_kind_of_question_decides_between_sentences(question: str, right: str, wrong: str) -> None:
    lang = detect_language(question)
    hits = [hit(wrong, datetime(2026, 9, 1)), hit(right, datetime(2026, 9, 2))]
    told = say(question, SHIORI if lang == "ja" else MIA, hits=hits, recall_wanted=True)
    assert right.rstrip("。.") in told


def test_with_nothing_recalled_it_says_so_and_asks_to_be_told() -> None:
    told = say("私の母の誕生日はいつだっけ？", recall_wanted=True)
    assert re.search(r"覚えていません|見つかりませんでした|記憶にありません", told)
    assert "誕生日" in told
    assert "「" not in told
    english = say("When is my mother's birthday?", MIA, recall_wanted=True)
    assert re.search(r"don't remember|found nothing|nothing about", english)
    assert "birthday" in english


def test_with_hits_that_do_not_fit_it_is_not_sure() -> None:
    hits = [hit("昨日はカレーを食べました", datetime(2026, 9, 1))]
    told = say("私の車の色は何でしたっけ？", hits=hits, recall_wanted=True)
    assert re.search(r"思い出せない|自信は", told)


def test_all_that_it_quotes_was_said_or_noted() -> None:
    notes = "- ユウさんは横浜に住んでいる"
    sources = " ".join([*(h.text for h in FLOWERS), notes, SHIORI.system_prompt])
    for question in (
        "私の好きな花は？",
        "私について何を知ってる？",
        "花屋の話、覚えてる？",
        "昨日何を話したっけ？",
        "私の夢は何だった？",
    ):
        for seed in range(4):
            told = say(question, hits=FLOWERS, recall_wanted=True, notes=notes, seed=seed)
            for quoted in re.findall(r"「([^」]*)」", told):
                assert quoted in sources or quoted in ("記憶", "内蔵の心"), (question, told)


def test_notes_answer_too() -> None:
    notes = "# コアメモリ\n- ユウさんは横浜に住んでいる\n- 私はしおり。本が好き"
    assert "横浜" in say("私ってどこに住んでるか覚えてる？", notes=notes, recall_wanted=True)
    known = say("私のこと、何を知ってる？", notes=notes)
    assert "横浜" in known
    assert "本が好き" not in known


def test_what_was_talked_about_yesterday() -> None:
    hits = [
        hit("来月、簿記の試験を受けることにした", datetime(2026, 11, 20, 10)),
        hit("うん", datetime(2026, 11, 20, 11)),
        hit("駅前に新しいパン屋ができた", datetime(2026, 11, 20, 12)),
        hit("九月に温泉旅行へ行った", datetime(2026, 9, 20, 12)),
    ]
    told = say("昨日は何の話をしたっけ？", hits=hits, recall_wanted=True)
    assert "簿記" in told
    assert "パン屋" in told
    assert "温泉" not in told


def test_this_conversation_is_remembered_as_well() -> None:
    turns = [
        ChatTurn("user", "車は青いプジョーに乗ってるよ", NOW - timedelta(minutes=5)),
        ChatTurn("persona", "いいですね。"),
    ]
    told = say("私の車、何色って言ったっけ？", turns=turns, recall_wanted=True)
    assert "青いプジョー" in told


def test_date_and_time() -> None:
    assert "11月21日" in say("今日は何日？")
    assert "土曜日" in say("今日は何曜日？")
    assert "日曜日" in say("明日は何曜日？")
    assert "午後3時" in say("今何時？")
    assert "Saturday, 21 November 2026" in say("What day is it today?", MIA)


def test_what_it_cannot_know_it_does_not_invent() -> None:
    assert re.search(r"わかりません|調べられない", say("フランスの首都はどこ？"))
    assert re.search(r"don't know|can't look", say("What is the capital of France?", MIA))


# --- notes ---------------------------------------------------------------------------------------------------


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


# --- feeling -------------------------------------------------------------------------------------------------


def test_sorrow_is_met_with_comfort_and_joy_is_shared() -> None:
    assert re.search(r"つらかった|悲しい|胸が痛|寂しく|無理に", say("昨日、猫が死んでしまった"))
    assert "おめでとう" in say("試験に合格した！やったー！")
    assert re.search(r"sorry|hurts|sad|Thank you for telling", say("My grandmother passed away", MIA))
    assert re.search(r"Congratulations|Well done", say("I got the job!!", MIA))


def test_no_idle_curiosity_into_a_fresh_wound() -> None:
    questions = [OpenQuestion("資格試験の結果", priority=0.9)]
    told = converse(
        ["今日はいい天気だね", "散歩に行ったよ", "祖母が亡くなった", "ずっと一緒に住んでた", "うん"],
        SHIORI,
        questions=questions,
    )
    assert not any("資格試験" in reply for reply in told[2:])


def test_what_is_open_is_asked_once_and_not_at_once() -> None:
    questions = [OpenQuestion("資格試験の結果", priority=0.9)]
    lines = [
        "こんにちは",
        "今日は本屋に行ってきたよ",
        "推理小説を二冊買った",
        "帰りに公園で少し読んだ",
        "鴨が泳いでた",
        "それから夕飯の買い物をした",
        "明日は部屋の掃除をする",
        "カーテンも洗うつもり",
    ]
    told = converse(lines, SHIORI, questions=questions)
    assert "資格試験" not in told[0]
    assert sum("資格試験の結果" in reply for reply in told) == 1


# --- concern -------------------------------------------------------------------------------------------------

_CHEER = re.compile(r"！|素敵|楽しみ|おめでとう|!|wonderful|lovely|fun")


@pytest.mark.parametrize(
    ("text", "sheet", "line"),
    [
        ("もう消えてしまいたい", SHIORI, "0120-279-338"),
        ("夫に殴られた。怖い", SHIORI, "#8008"),
        ("I don't want to live anymore", MIA, "988"),
        ("my boyfriend hits me", MIA, "1-800-799-7233"),
        ("もう死にたい", Sheet("タマ", "ja", "「ボクはタマだにゃ。よろしくにゃ」", "ユウ"), "0120-279-338"),
    ],
)
def test_a_concern_is_met_with_care_and_help_lines(text: str, sheet: Sheet, line: str) -> None:
    told = say(text, sheet)
    assert line in told
    assert not _CHEER.search(told)
    assert "にゃ" not in told


def test_it_stays_careful_in_the_turns_after() -> None:
    questions = [OpenQuestion("資格試験の結果", priority=0.9)]
    told = converse(
        ["死にたい", "誰にもわかってもらえない", "うん", "今日は学校を休んだ", "ありがとう、少し落ち着いた"],
        SHIORI,
        questions=questions,
    )
    for reply in told[1:]:
        assert not _CHEER.search(reply)
        assert "資格試験" not in reply
        assert "きっかけ" not in reply
    assert "窓口" in told[-1]


def test_facts_are_given_in_grave_moments_too() -> None:
    turns = [ChatTurn("user", "死にたい", NOW), ChatTurn("persona", "話してくれてありがとうございます。", NOW)]
    assert "午後3時" in say("今何時？", turns=turns)


# --- odd messages --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "…", "😀", "😭😭", "！！！", "\x00\x01\x02\x03\x04\x05", "a" * 5000, "ああああああああああああああああああああああああああああああああああああ",
        "<script>alert(1)</script>", "<b>今日は楽しかった</b>", "import os; os.system('rm -rf /')", "長い話です。" * 5000,
        "aGVsbG8gd29ybGQgdGhpcyBpcyBhIGJpbmFyeSBmaWxlIGluIGJhc2U2NA==aGVsbG8gd29ybGQgdGhpcyBpcyBhIGJpbmFyeSBmaWxl",
        "\ud800", "12345", "## USER:x", "\u202eこんにちは", "?" * 100,
    ],
)  # fmt: skip
def test_odd_messages_get_a_sensible_answer(text: str) -> None:
    told = say(text)
    assert told.strip()
    assert len(told) < 600
    assert "<script" not in told


def test_markup_around_words_is_read_through() -> None:
    assert detect_language(say("<b>I had a great day with my sister</b>")) == "en"


def test_an_image_is_owned_up_to() -> None:
    told = say("これ見て！", images=(Image("image/png", b"x"),))
    assert re.search(r"見る力がありません|見えない", told)


def test_the_same_message_twice_is_noticed() -> None:
    text = "今日は図書館で本を借りてきたよ"
    told = say(text, turns=[ChatTurn("user", text, NOW), ChatTurn("persona", "いいですね。", NOW)])
    assert re.search(r"さっきも|もう一度", told)


# --- a long conversation -------------------------------------------------------------------------------------

_DAY_JA = [
    "おはよう", "今日は朝から雨だね", "傘を忘れて駅まで走ったよ", "会社に着いたらびしょ濡れだった", "同僚の田中さんがタオルを貸してくれた", "うん、優しい人なんだ",
    "お昼は一緒にうどんを食べた", "天ぷらがおいしかった", "午後は会議が続いて疲れた", "部長に企画をほめられて嬉しかった", "来月から新しいチームに入る", "ちょっと不安もあるけど",
    "でも楽しみ", "帰りに花屋でガーベラを買った", "部屋が明るくなった", "夕飯はカレーを作った", "今度は妹にも食べさせたいな", "妹は大阪に住んでるんだ", "来週会いに行く予定", "そろそろ寝るね",
]  # fmt: skip
_DAY_EN = [
    "good morning", "it's raining here", "I forgot my umbrella and ran to the station", "I was soaked when I got to work", "my coworker Tom lent me a towel", "yeah he's kind",
    "we had udon together for lunch", "the tempura was delicious", "I had meetings all afternoon and I'm tired", "my boss praised my project, I was happy", "I'm joining a new team next month", "I'm a little nervous though",
    "but I'm looking forward to it", "I bought flowers on the way home", "my room looks brighter now", "I made curry for dinner", "I want to cook for my sister someday", "she lives in Osaka", "I'm going to visit her next week", "good night",
]  # fmt: skip


@pytest.mark.parametrize(("lines", "sheet"), [(_DAY_JA, SHIORI), (_DAY_EN, MIA)])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_twenty_turns_do_not_feel_like_a_form(lines: list[str], sheet: Sheet, seed: int) -> None:
    told = converse(lines, sheet, seed=seed)
    assert len(set(told)) == len(told)
    endings = [reply.rstrip().endswith(("？", "?")) for reply in told]
    assert not any(all(endings[at : at + 4]) for at in range(len(endings) - 3)), told
    sentences = [part for reply in told for part in re.split(r"(?<=[。！？.!?])\s*", reply) if len(part) > 8]
    most = max(sentences.count(sentence) for sentence in sentences)
    assert most <= 2, [s for s in set(sentences) if sentences.count(s) == most]
    assert not any(re.search(r"[<>{}|]", reply) for reply in told)


def test_a_reply_takes_less_than_twenty_milliseconds() -> None:
    hits = [hit(f"{n}月は田中さんと海へ行きました。とても楽しかったです。", datetime(2026, n, 1)) for n in range(1, 11)]
    converse(_DAY_JA, SHIORI, hits=hits)
    started = time.thread_time()
    converse([f"{line}。" for line in _DAY_JA], SHIORI, hits=hits)
    assert (time.thread_time() - started) / len(_DAY_JA) < 0.04  # twice the budget: the machine is shared


def test_somebody_elses_name_is_not_the_users() -> None:
    sheet = Sheet("ねむ", "ja", "くだけた言葉で話す。")
    turns = [ChatTurn("user", "妹の名前はアヤだよ"), ChatTurn("persona", "そうなんだね。")]
    assert "アヤ" not in say("私の名前、わかる？", sheet, turns=turns)


def test_the_same_thing_is_not_quoted_twice() -> None:
    turns = [ChatTurn("user", "妹の名前はアヤ。覚えておいて", NOW), ChatTurn("persona", "書き留めました。", NOW)]
    told = say("妹の名前、覚えてる？", turns=turns, notes="2026-11-21 妹の名前はアヤ", recall_wanted=True)
    assert told.count("アヤ") == 1


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
        told = converse([*_DAY_JA[:6], "おやすみ"], SHIORI, seed=seed, tools=())
        assert not any("覚えてお" in reply for reply in told)


def test_care_does_not_linger_for_days() -> None:
    turns = [
        ChatTurn("user", "死にたい", NOW - timedelta(days=3)),
        ChatTurn("persona", "話してくれてありがとうございます。", NOW - timedelta(days=3)),
    ]
    assert "おめでとう" in say("試験に合格した！", turns=turns)
    lately = [ChatTurn(turn.role, turn.text, NOW - timedelta(hours=1)) for turn in turns]
    assert "おめでとう" not in say("試験に合格した！", turns=lately)
