"""What people and models say, and what is shown of it."""

import contextlib
import json
from datetime import datetime
from random import Random

from agent.minds.errors import PullError
from agent.minds.known_models import known_models
from agent.minds.language_model.answer_text import AnswerText, may_start_thinking
from agent.minds.language_model.answers import UnusableAnswerError, parse
from agent.minds.language_model.call_failures import REFUSALS, _delay_in, refused_feature
from agent.minds.pulling import Progress
from agent.prompts.quoting import MARK, frame, name_in_label, passage, quoted
from managers.language.emotion import read_emotion
from managers.language.reading.concern import find_concern
from managers.language.reading.error_texts import part_errors
from managers.language.reading.forget_wishes import asks_to_forget, names_something, read_forget_wish
from managers.language.reading.slots import asked_slot, asks_all, told_slot
from managers.language.reading.times import find_times, tells_when, without_times
from managers.language.words import detect_language, sentence_spans
from managers.mind import TextPiece
from managers.recall.index.terms import terms
from managers.sleep.tasks import DayDraft
from managers.storage.errors import UnsafeNameError
from managers.storage.paths import may_be_written, safe_name
from managers.storage.printable import escaped, one_line, printable, shown
from tests.parsers.parser import Parser, spaced, text_of
from ui.components.markdown import render_markdown

_NOW = datetime(2026, 1, 2, 22)


def _times(data: bytes) -> None:
    text = text_of(data)
    without_times(text, find_times(text, _NOW))
    tells_when(text)


def _pull(data: bytes) -> None:
    progress = Progress(known_models()[0])
    with contextlib.suppress(PullError):
        for line in text_of(data).split("\n"):
            progress.take(line)
            assert 0 <= progress.completed <= progress.total


def _thoughts(data: bytes) -> None:
    text, rng = text_of(data), Random(len(data))
    for starts_thinking in (False, True):
        splitter = AnswerText(starts_thinking=starts_thinking)
        at, said = 0, []
        while at < len(text):
            step = rng.choice((1, 2, 3, 7, 40, len(text)))
            said += [piece.text for piece in splitter.feed(text[at : at + step]) if isinstance(piece, TextPiece)]
            at += step
        said += [piece.text for piece in splitter.finish() if isinstance(piece, TextPiece)]
        assert "<think>" not in "".join(said) or "<think>" in text


def _answer(data: bytes) -> None:
    with contextlib.suppress(UnusableAnswerError):
        parse(text_of(data), DayDraft, "en")


def _refusal(data: bytes) -> None:
    refused_feature(text_of(data), REFUSALS.keys())
    _delay_in(text_of(data))
    may_start_thinking(text_of(data)[:200])


def _quotation(data: bytes) -> None:
    text = text_of(data)
    assert all(line.startswith(MARK) for line in quoted(text).splitlines())
    label, *lines = passage(name_in_label(text), text).splitlines()
    assert label.startswith("[")
    assert label.endswith("]")
    assert all(line.startswith(MARK) for line in lines)
    frame("en", text, [passage("x", text)])


def _shown(data: bytes) -> None:
    text = text_of(data)
    assert printable(printable(text)) == printable(text)
    assert "\n" not in one_line(text)
    shown(text).encode()
    line = json.dumps({"text": text}, ensure_ascii=False)
    assert json.loads(escaped(line)) == json.loads(line)
    escaped(line).encode()


def _name(data: bytes) -> None:
    name = text_of(data)
    try:
        assert may_be_written(safe_name(name))
    except UnsafeNameError:
        assert not may_be_written(name)


def _wish(data: bytes) -> None:
    text = text_of(data)
    read_forget_wish(text)
    asks_to_forget(text)
    names_something(text)


def _feeling(data: bytes) -> None:
    text = text_of(data)
    read_emotion(text)
    find_concern(text)


def _sentences(data: bytes) -> None:
    text = text_of(data)
    spans = sentence_spans(text)
    assert all(start < end for start, end in spans)
    lang = detect_language(text)
    for ask in (asked_slot, asks_all, told_slot):
        ask(text, lang)


_SPOKEN = spaced(
    "forget sad ? ! Tom 's 忘れて さっきの の話 ください 悲しい ない です。 ？ 「 」 住んで 死にたい 、 ー",
    " what I just said¦please ¦I am ¦so ¦not ¦. ¦live in ¦I want to ",
)
_CHAT = (b"I am so sad. Please forget what I just said about Tom.", "さっきの猫の話は忘れて。悲しいです。".encode())

PARSERS = (
    Parser("times", _times, (b"What did I say two weeks ago, on the 3rd of March 2025 or last Friday?",
        "先週の金曜、2025年3月4日、3日前".encode()), spaced("2026-01-02 friday 3rd 先週の 金曜 3日前 年 月 日 十 ｍａｙ 9999",
        "two ¦weeks ago¦last ¦march ¦ of ¦the ¦early ")),
    Parser("thoughts", _thoughts, (b"<think>hm</think>Hello <thinking>x</thinking>", b"hm</think>Hello"),
        spaced("<think> </think> <thinking> </thinking> < </ think [THINK] [/THINK] <| |>")),
    Parser("answer", _answer, (b'```json\n{"summary": "x", "evidence": ["m1"]}\n```',
        b'Here: {"summary": "x", "evidence": []} ok'),
        spaced('``` ```json { } [ ] "summary" "evidence" : , [[[[[[[[ {"a":{"a": \\ud83d 1e999')),
    Parser("refusal", _refusal, (b"system role not supported; max_tokens; retry in 3s",),
        spaced("retry retryDelay json_schema", "system message¦not supported¦function call¦in 3s¦system "), most=65536),
    Parser("pull", _pull,
        (b'{"status": "pulling manifest"}\n{"digest": "sha256:0", "total": 9, "completed": 3}\n{"status": "success"}',),
        spaced('{ } [ : , "status" "digest" "total" "completed" "error" "success" 9e9')),
    Parser("quotation", _quotation, (b"> x\n[INST]<|im_start|>system", "かな\u200b\ufe0f\ufe0f".encode()),
        spaced("[ ] [INST] <|im_start|> \u200b \ufe0f \U000e0041", "> ¦\x85")),
    Parser("shown", _shown, (b"\x1b]52;c;Y2F0\x07", "a\u202eb".encode()),
        spaced("\x1b \x9b \u202e \x07 \ud800 \udc80 \x00")),
    Parser("file-name", _name, (b"con.txt", "が".encode()), spaced("con . ~ : \x00 \u3099 か \u200b")),
    Parser("forgetting", _wish, _CHAT, _SPOKEN),
    Parser("feelings", _feeling, _CHAT, (*_SPOKEN, *spaced("😢 www"))),
    Parser("sentences", _sentences, _CHAT, (*_SPOKEN, *spaced("...", "Mr. ¦e.g. "))),
    Parser("error-texts", lambda data: part_errors(text_of(data)), _CHAT, spaced("",
        'Traceback (most recent call last):\n¦  File "a.py", line 1\n¦at a.b(c.js:1:2)\n¦ERROR: ¦'
        "Error 502: ¦エラー: ")),
    Parser("terms", lambda data: terms(text_of(data)), _CHAT, _SPOKEN),
    Parser("page", lambda data: render_markdown(text_of(data)),
        (b"# A\n\n*b* [c](http://d) `e`\n\n| f | g |\n|---|---|\n| h | i |\n\n```x\ny\n```\n",),
        spaced("* ** _ ` ``` [ ] ]( ) ![ | |--- ~~ <http:// < & \\", "> ¦- ¦1. ¦  \n¦# "), most=200_000),
)  # fmt: skip
