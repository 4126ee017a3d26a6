"""Messages, times and statuses become what the page shows."""

import re
from datetime import date, datetime, timedelta
from typing import Any, Literal

import pytest

from agent.minds.status import MindStatus
from managers.memory.messages import Message, Role
from managers.recall.hits import Hit
from managers.storage.errors import Notice
from ui import presenters
from ui.locales import texts
from ui.presenters import Face, Live
from ui.times import day_name

JA, EN = texts("ja"), texts("en")
FACE = Face("ねむ", "/personas/x/avatar")
NOW = datetime(2026, 3, 14, 22, 5)


def message(number: int, role: Role, text: str, time: datetime = NOW, **more: Any) -> Message:
    speaker = {"user": "ミナ", "persona": "ねむ", "system": "tool"}[role]
    return Message(f"m{number}", time, role, speaker, text, **more)


def test_a_day_is_named_as_people_name_it() -> None:
    today = NOW.date()
    assert day_name(today, today, JA) == "今日"
    assert day_name(today - timedelta(1), today, EN) == "Yesterday"
    assert day_name(date(2026, 1, 2), today, JA) == "1月2日(金)"
    assert day_name(date(2026, 1, 2), today, EN) == "Friday, 2 January"
    assert day_name(date(2024, 12, 31), today, JA) == "2024年12月31日(火)"


def test_each_day_begins_with_its_name() -> None:
    messages = [message(n, "user", "x", NOW - timedelta(days=2 - n)) for n in range(3)]
    items = presenters.transcript(messages, FACE, NOW.date(), JA)
    assert [item.id for item in items] == ["day-2026-03-12", "m0", "day-2026-03-13", "m1", "day-2026-03-14", "m2"]


def test_only_ones_last_message_can_be_changed_and_only_the_last_answer_asked_for_anew() -> None:
    messages = [message(n, "user" if n % 2 == 0 else "persona", f"text {n}") for n in range(4)]
    html = {item.id: item.html for item in presenters.transcript(messages, FACE, NOW.date(), JA)}
    assert [m for m in ("m0", "m1", "m2", "m3") if 'data-action="edit"' in html[m]] == ["m2"]
    assert [m for m in ("m0", "m1", "m2", "m3") if 'data-action="retry"' in html[m]] == ["m3"]
    assert all('data-action="copy"' in html[m] for m in ("m0", "m1", "m2", "m3"))


def test_a_message_that_was_never_answered_can_be_answered() -> None:
    items = presenters.transcript(
        [message(0, "user", "x"), message(1, "persona", "y"), message(2, "user", "z")], FACE, NOW.date(), EN
    )
    assert [item.id for item in items if 'data-action="retry"' in item.html] == ["m2"]


def test_what_was_said_before_a_new_topic_can_no_longer_be_changed() -> None:
    topic = Message("t", NOW, "system", "new_topic", "")
    said = [message(0, "user", "x"), message(1, "persona", "y"), topic]
    items = presenters.transcript(said, FACE, NOW.date(), JA)
    assert "separator topic" in items[-1].html
    assert not any('data-action="edit"' in item.html or 'data-action="retry"' in item.html for item in items)


def test_off_the_record_nothing_can_be_edited_for_nothing_is_there() -> None:
    items = presenters.transcript([message(0, "user", "x")], FACE, NOW.date(), JA, off_record=True)
    assert 'data-action="edit"' not in items[-1].html


@pytest.mark.parametrize("role", ["user", "persona", "system"])
def test_markup_is_shown_as_text(role: Role) -> None:
    evil = "<script>alert(1)</script><img src=x onerror=alert(1)>"
    item = presenters.transcript([message(0, role, evil)], FACE, NOW.date(), JA)[-1]
    assert "<script" not in item.html
    assert "&lt;script&gt;" in item.html
    assert "onerror=alert(1)>" not in item.html


def test_names_and_ids_are_text_too() -> None:
    odd = Message('"><b>', NOW, "user", '"><script>', "x", attachments=('attachments/"><script>.txt',))
    item = presenters.transcript([odd], Face("<i>", ""), NOW.date(), EN)[-1]
    assert "<script" not in item.html
    assert "<b>" not in item.html


def test_a_huge_message_is_cut_on_the_page_with_a_way_to_the_whole() -> None:
    item = presenters.transcript([message(0, "user", "あ" * 1_000_000)], FACE, NOW.date(), JA)[-1]
    assert len(item.html) < 25_000
    assert "/messages/m0" in item.html
    assert "1,000,000" in item.html
    assert 'data-action="edit"' not in item.html  # half a text must not replace the whole


def test_pictures_are_shown_and_other_files_offered() -> None:
    sent = message(0, "user", "見て", attachments=("attachments/a b.png", "attachments/page.svg", "attachments/t.txt"))
    html = presenters.transcript([sent], FACE, NOW.date(), JA)[-1].html
    assert html.count('<img src="/personas/%E3%81%AD%E3%82%80/attachments/a%20b.png"') == 1
    assert html.count("<img") == 1  # an SVG is a program in disguise
    assert "attachments/t.txt" in html


def test_a_reply_under_way_shows_its_thoughts_folded() -> None:
    html = presenters.live_reply(Live(thinking="<b>hm", speaking="そう**だね**"), FACE, JA).html
    assert "<details" in html
    assert "&lt;b&gt;hm" in html
    assert "<strong>だね</strong>" in html
    assert 'class="dots"' in presenters.live_reply(Live(), FACE, JA).html


def test_the_built_in_mind_says_what_it_is_not() -> None:
    status = MindStatus("built-in", "内蔵", "built in", is_language_model=False, leaves_machine=False)
    assert "言語モデルではありません" in presenters.mind_chip(status, JA)
    assert "not a language model" in presenters.mind_chip(status, EN)
    cloud = MindStatus("gemini-2.5-flash", "雲", "cloud", is_language_model=True, leaves_machine=True)
    assert "goes over the network" in presenters.mind_chip(cloud, EN)
    assert "not a language model" not in presenters.mind_chip(cloud, EN)


def test_a_model_that_does_not_answer_is_not_shown_as_ready() -> None:
    status = MindStatus("llama", "ラマ", "llama", is_language_model=True, leaves_machine=False, is_answering=False)
    for t, words in ((JA, "応答がありません"), (EN, "not answering")):
        chip = presenters.mind_chip(status, t)
        assert words in chip
        assert "mind-chip away" in chip
        assert "mind-chip stays" not in chip


def test_what_was_recalled_is_told_with_its_reason() -> None:
    hit = Hit("海へ行った<b>", "log_archive", "semantic", "log_archives/2026-01.txt", ("m1",), 0.5, NOW, "ミナ")
    html = presenters.recollections("海", [hit], NOW, JA)
    assert "海へ行った&lt;b&gt;" in html
    assert "昔の会話" in html
    assert "75%" in html
    assert "過去の記憶は使っていません" in presenters.recollections("", [], NOW, JA)


def test_only_an_answer_that_recalled_something_offers_to_tell_what() -> None:
    said = [message(n, "persona", "x") for n in range(2)]
    first, second = presenters.transcript(said, FACE, NOW.date(), EN, recalled={"m1": 3, "m0": 0})[1:]
    assert "<details" not in first.html
    assert "What came to mind (3)" in second.html
    assert "/why/m1?lang=en" in second.html


def test_a_notice_keeps_its_name_while_its_words_stay() -> None:
    first = presenters.notices([Notice("a", "あ", "A <b>")], EN)
    assert "&lt;b&gt;" in first
    assert first == presenters.notices([Notice("a", "あ", "A <b>")], EN)
    assert presenters.notices([], EN) == ""


def test_what_moves_on_stays_the_same_notice() -> None:
    levels: tuple[Literal["info", "warning", "passing"], ...] = ("info", "warning", "passing")
    names = {
        level: {
            re.findall('data-notice="([^"]+)"', presenters.notices([Notice("a", f"{n}%", f"{n}%", level)], EN))[0]
            for n in (10, 20)
        }
        for level in levels
    }
    assert names["passing"] == {"a"}
    assert len(names["info"]) == len(names["warning"]) == 2
