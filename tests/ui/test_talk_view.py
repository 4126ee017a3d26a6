"""Messages, turns and statuses become what the conversation shows."""

import re
from datetime import date, datetime, timedelta
from typing import Any, Literal

import pytest

from agent.events import Failed, Received, Speaking, Thinking, TurnEvent
from agent.minds.errors import EmptyAnswerError
from agent.minds.mind_status import MindStatus
from managers.memory.messages import GREETING, Message, Role
from managers.recall.hits import Hit
from managers.storage.errors import Notice
from tests.ui.reading import read
from ui.components import frame
from ui.components.faces import Face
from ui.components.times import day_name
from ui.locales import Texts, texts
from ui.rooms.talk import view
from ui.server.templates import part

JA, EN = texts("ja"), texts("en")
NOW = datetime(2026, 3, 14, 22, 5)


def message(number: int, role: Role, text: str = "x", time: datetime = NOW, **more: Any) -> Message:
    speaker = {"user": "ミナ", "persona": "ねむ", "system": "tool"}[role]
    return Message(f"m{number}", time, role, speaker, text, **more)


def keys(messages: list[Message], live: view.Live | None = None) -> list[str]:
    return [entry.key for entry in view.conversation(messages, NOW.date(), JA, live=live)]


def test_a_day_is_named_as_people_name_it() -> None:
    today = NOW.date()
    assert day_name(today, today, JA) == "今日"
    assert day_name(today - timedelta(1), today, EN) == "Yesterday"
    assert day_name(date(2026, 1, 2), today, JA) == "1月2日(金)"
    assert day_name(date(2026, 1, 2), today, EN) == "Friday, 2 January"
    assert day_name(date(2024, 12, 31), today, JA) == "2024年12月31日(火)"


def test_each_day_begins_with_its_name() -> None:
    messages = [message(n, "user", time=NOW - timedelta(days=2 - n)) for n in range(3)]
    assert keys(messages) == ["day-2026-03-12", "m-m0", "day-2026-03-13", "m-m1", "day-2026-03-14", "m-m2"]


def test_an_answer_under_way_stands_where_it_will_stand() -> None:
    said = [message(0, "user"), message(1, "persona"), message(2, "user"), message(3, "persona")]
    assert keys(said, view.Live(heard="m0", replaces="m1"))[1:] == ["m-m0", "live", "m-m2", "m-m3"]
    assert keys(said, view.Live(heard="m2"))[1:] == [
        "m-m0",
        "m-m1",
        "m-m2",
        "live",
    ]  # its answer may be written already
    assert keys(said, view.Live())[1:] == ["m-m0", "m-m1", "m-m2", "m-m3", "live"]  # what is answered is not heard yet


@pytest.mark.parametrize(
    ("after", "found"),
    [
        ([], "m0"),
        ([message(1, "system")], "m0"),  # killed after a tool was used
        ([message(1, "persona")], ""),
        ([Message("t", NOW, "system", "new_topic", "")], ""),
    ],
)
def test_a_message_that_nobody_answered_is_found(after: list[Message], found: str) -> None:
    assert view.unanswered([message(0, "user"), *after]) == found


def test_a_turn_grows_event_by_event_and_knows_how_far_it_has_come() -> None:
    events: list[TurnEvent] = [Received(message(0, "user"), None), Thinking("hm"), Speaking("そう"), Speaking("だね")]
    live = view.after(view.Live(), events)
    assert (live.heard, live.thinking, live.speaking, live.step) == ("m0", "hm", "そうだね", 4)
    assert view.after(view.after(view.Live(), events[:2]), events[2:]) == live


def test_words_that_never_reached_the_disk_are_known() -> None:
    error = EmptyAnswerError(model="m")
    assert view.unheard([Failed(error)]) is error
    assert view.unheard([Received(message(0, "user"), None), Failed(error)]) is None


def test_a_reply_under_way_shows_its_thoughts_folded() -> None:
    def drawn(live: view.Live) -> str:
        return part("rooms/talk/entries.html", "live", live, {"face": Face("ねむ", "")}, JA)

    html = drawn(view.Live(thinking="<b>hm", speaking="そう**だね**"))
    assert not read(html).one("details.reasoning").attributes.get("open")
    assert "&lt;b&gt;hm" in html
    assert "<strong>だね</strong>" in html
    assert read(drawn(view.Live())).all(".dots")


def test_a_mind_is_named_where_it_changes() -> None:
    minds = ["a", "a", "built-in", "built-in", "a"]
    said = [message(number, "persona", mind=mind) for number, mind in enumerate(minds)]
    assert view.minds(said, EN) == {"m2": EN("mind.builtin_name"), "m4": "a"}
    assert view.minds([message(9, "persona", mind=GREETING), *said], EN) == view.minds(said, EN)


def chip(status: MindStatus, t: Texts) -> str:
    return part("components/pieces.html", "mind_chip", status, t)


def test_the_built_in_mind_says_what_it_is_not() -> None:
    status = MindStatus("built-in", "内蔵", "built in", is_language_model=False, leaves_machine=False)
    assert "言語モデルではありません" in chip(status, JA)
    assert "not a language model" in chip(status, EN)
    cloud = MindStatus("gemini-2.5-flash", "雲", "cloud", is_language_model=True, leaves_machine=True)
    assert "goes over the network" in chip(cloud, EN)
    assert "not a language model" not in chip(cloud, EN)


def test_a_model_that_does_not_answer_is_not_shown_as_ready() -> None:
    status = MindStatus("llama", "ラマ", "llama", is_language_model=True, leaves_machine=False, is_answering=False)
    for t, words in ((JA, "応答がありません"), (EN, "not answering")):
        shown = read(chip(status, t))
        assert words in shown.text
        assert shown.one(".mind-chip").classes == ["mind-chip", "away"]


def test_what_was_recalled_is_told_with_its_reason() -> None:
    hit = Hit("海へ行った<b>", "log_archive", "semantic", "log_archives/2026-01.txt", ("m1",), 0.5, NOW, "ミナ")
    assert "75%" in view.reason(hit, JA)


def notice_key(notice: Notice) -> str:
    return frame._shown(notice, "en").key


def test_a_notice_keeps_its_name_while_its_words_stay_and_what_moves_on_is_the_same_one() -> None:
    levels: tuple[Literal["info", "warning", "passing"], ...] = ("info", "warning", "passing")
    names = {level: {notice_key(Notice("a", f"{n}%", f"{n}%", level)) for n in (10, 20)} for level in levels}
    assert names["passing"] == {"a"}
    assert len(names["info"]) == len(names["warning"]) == 2
    assert all(re.fullmatch(r"a:\d+", name) for name in names["info"])
