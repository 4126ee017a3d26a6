"""What the tests of the built-in mind share: whom it speaks as, what it is asked, what it says, and tables of both."""

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any, Protocol

import pytest
from pydantic import BaseModel

from agent.minds.builtin import BuiltInMind
from managers import mind
from managers.language.emotion import read_emotion
from managers.language.reading.concern import find_concern, help_lines
from managers.language.reading.introductions import name_noted
from managers.language.words import detect_language
from managers.memory.messages import Message
from managers.recall.hits import Hit
from tests.speeds import one_quick

NOW = datetime(2026, 11, 21, 15, 0)
SHIORI = mind.Sheet("しおり", "ja", "あなたは「しおり」。一人称は「私」。丁寧な話し方をする。", "ユウ")
MIA = mind.Sheet("Mia", "en", "You are Mia, warm and casual.", "Alex")
NEMU = mind.Sheet(
    "ねむ", "ja", "あなたは「ねむ」。くだけた言葉で話す。敬語は使わない。\n- 好きなものは、雨の音、古い本。"
)
HAZEL = mind.Sheet("Hazel", "en", "You are Hazel, plain and gentle.\n- You love quiet rooms and rain on glass.")

Row = tuple[str | tuple[str, ...], str, str]
"""What is said (or several things that are met alike), a pattern of each answer to it, and one of none of them.

Lines that are said one after the other are parted by " / ": the answer to the last one counts.
"""
in_all_their_ways = pytest.mark.parametrize("seeds", one_quick([range(3), range(3, 15)]), ids=["3 seeds", "12 more"])


class Note(BaseModel):
    operation: str
    text: str


NOTEPAD = mind.ToolSpec("edit_notepad", "Write a note", Note)


def request(
    text: str,
    sheet: mind.Sheet = SHIORI,
    *,
    turns: Sequence[mind.ChatTurn] = (),
    after: Sequence[mind.ChatTurn] = (),
    hits: Sequence[Hit] = (),
    recall_wanted: bool = False,
    notes: str = "",
    questions: Sequence[mind.OpenQuestion] = (),
    tools: Sequence[mind.ToolSpec] = (NOTEPAD,),
    now: datetime = NOW,
    images: tuple[mind.Image, ...] = (),
) -> mind.ReplyRequest:
    reading = read_emotion(text, [sheet.persona])
    kind = find_concern(text)
    return mind.ReplyRequest(
        sheet=sheet,
        system="",
        turns=[*turns, mind.ChatTurn("user", text, now, images=images), *after],
        message=Message("m1", now, "user", sheet.user_name or "User", text),
        now=now,
        hits=hits,
        recall_wanted=recall_wanted,
        notes=notes,
        emotion=mind.EmotionReading(reading.emotion, reading.confidence),
        questions=questions,
        tools=tools,
        concern=mind.Concern(kind, help_lines(detect_language(text), kind)) if kind else None,
    )


def pieces(asked: mind.ReplyRequest, seed: int = 0) -> list[mind.ReplyPiece]:
    """Return what is said or called, without what it rests on."""
    return [piece for piece in BuiltInMind(seed).reply(asked, mind.Cancel()) if not isinstance(piece, mind.Grounds)]


def speak(asked: mind.ReplyRequest, seed: int = 0) -> str:
    return "".join(piece.text for piece in pieces(asked, seed) if isinstance(piece, mind.TextPiece))


def say(text: str, sheet: mind.Sheet = SHIORI, *, seed: int = 0, **more: Any) -> str:
    found = pieces(request(text, sheet, **more), seed)
    if found and isinstance(call := found[0], mind.ToolCall) and name_noted(str(call.arguments["text"]), sheet.persona):
        done = [mind.ChatTurn("persona", "", tool_calls=(call,)), mind.ChatTurn("tool", "ok", tool_call_id=call.id)]
        found = pieces(request(text, sheet, **{**more, "after": done}), seed)  # as the graph does
    assert all(isinstance(piece, mind.TextPiece) for piece in found)
    return "".join(piece.text for piece in found if isinstance(piece, mind.TextPiece))


def hit(text: str, when: datetime, speaker: str = "ユウ") -> Hit:
    return Hit(text, "log_archive", "semantic", "log_archives/2026-08.txt", ("x",), 0.5, when, speaker)


def converse(lines: Sequence[str], sheet: mind.Sheet, **more: Any) -> list[str]:
    turns: list[mind.ChatTurn] = []
    said = []
    for place, line in enumerate(lines):
        now = NOW + timedelta(minutes=2 * place)
        said.append(say(line, sheet, turns=turns, now=now, **more))
        turns += [mind.ChatTurn("user", line, now), mind.ChatTurn("persona", said[-1], now)]
    return said


class Answering(Protocol):
    def __call__(self, lines: Sequence[str], sheet: mind.Sheet, *, seed: int) -> str: ...


def in_one_talk(lines: Sequence[str], sheet: mind.Sheet, *, seed: int, **more: Any) -> str:
    return converse(lines, sheet, seed=seed, **more)[-1]


def fit(text: str) -> mind.Sheet:
    """Return who speaks the language of a text: nobody of the two knows the name of the user."""
    return NEMU if re.search("[ぁ-ヿ一-鿿]", text) else HAZEL


def check(
    rows: Iterable[Row],
    seeds: Iterable[int] = (0,),
    answer: Answering = in_one_talk,
    who: Callable[[str], mind.Sheet] = fit,
) -> None:
    """Refuse answers that are not what a table says, all of them together."""
    found = []
    for alike, expected, forbidden in rows:
        for said in (alike,) if isinstance(alike, str) else alike:
            lines = said.split(" / ")
            told = {answer(lines, who(lines[-1]), seed=seed): None for seed in seeds}
            found += [f"{said} → {one} (not: {expected})" for one in told if not re.search(expected, one)]
            found += [f"{said} → {one} (has: {forbidden})" for one in told if forbidden and re.search(forbidden, one)]
    assert not found, "\n".join(found)


# --- a long conversation -------------------------------------------------------------------------------------

DAY_JA = [
    "おはよう", "今日は朝から雨だね", "傘を忘れて駅まで走ったよ", "会社に着いたらびしょ濡れだった", "同僚の田中さんがタオルを貸してくれた", "うん、優しい人なんだ",
    "お昼は一緒にうどんを食べた", "天ぷらがおいしかった", "午後は会議が続いて疲れた", "部長に企画をほめられて嬉しかった", "来月から新しいチームに入る", "ちょっと不安もあるけど",
    "でも楽しみ", "帰りに花屋でガーベラを買った", "部屋が明るくなった", "夕飯はカレーを作った", "今度は妹にも食べさせたいな", "妹は大阪に住んでるんだ", "来週会いに行く予定", "そろそろ寝るね",
]  # fmt: skip
DAY_EN = [
    "good morning", "it's raining here", "I forgot my umbrella and ran to the station", "I was soaked when I got to work", "my coworker Tom lent me a towel", "yeah he's kind",
    "we had udon together for lunch", "the tempura was delicious", "I had meetings all afternoon and I'm tired", "my boss praised my project, I was happy", "I'm joining a new team next month", "I'm a little nervous though",
    "but I'm looking forward to it", "I bought flowers on the way home", "my room looks brighter now", "I made curry for dinner", "I want to cook for my sister someday", "she lives in Osaka", "I'm going to visit her next week", "good night",
]  # fmt: skip
