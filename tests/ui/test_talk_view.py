"""Messages, turns and statuses become what the conversation shows."""

import re
from datetime import date, datetime, timedelta
from typing import Any, Literal

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


def test_each_day_begins_with_its_name_as_people_name_it() -> None:
    messages = [message(n, "user", time=NOW - timedelta(days=2 - n)) for n in range(3)]
    assert keys(messages) == ["day-2026-03-12", "m-m0", "day-2026-03-13", "m-m1", "day-2026-03-14", "m-m2"]
    today = NOW.date()
    for day, t, name in (
        (today, JA, "今日"),
        (today - timedelta(1), EN, "Yesterday"),
        (date(2026, 1, 2), JA, "1月2日(金)"),
        (date(2026, 1, 2), EN, "Friday, 2 January"),
        (date(2024, 12, 31), JA, "2024年12月31日(火)"),
    ):
        assert day_name(day, today, t) == name


def test_an_answer_under_way_stands_where_it_will_stand() -> None:
    said = [message(0, "user"), message(1, "persona"), message(2, "user"), message(3, "persona")]
    assert keys(said, view.Live(heard="m0", replaces="m1"))[1:] == ["m-m0", "live", "m-m2", "m-m3"]
    early = keys(said, view.Live(heard="m2"))[1:]
    assert early == ["m-m0", "m-m1", "m-m2", "live"]  # its answer may be written already
    assert keys(said, view.Live())[1:] == ["m-m0", "m-m1", "m-m2", "m-m3", "live"]  # what is answered is not heard yet


def test_a_message_that_nobody_answered_is_found() -> None:
    topic = Message("t", NOW, "system", "new_topic", "")
    for after, found in (([], "m0"), ([message(1, "system")], "m0"), ([message(1, "persona")], ""), ([topic], "")):
        assert view.unanswered([message(0, "user"), *after]) == found  # killed after a tool was used, too


def test_a_turn_grows_event_by_event_and_shows_its_thoughts_folded() -> None:
    events: list[TurnEvent] = [
        Received(message(0, "user"), None),
        Thinking("<b>hm"),
        Speaking("そう"),
        Speaking("**だね**"),
    ]
    live = view.after(view.Live(), events)
    assert (live.heard, live.thinking, live.speaking, live.step) == ("m0", "<b>hm", "そう**だね**", 4)
    assert view.after(view.after(view.Live(), events[:2]), events[2:]) == live
    error = EmptyAnswerError(model="m")
    assert view.unheard([Failed(error)]) is error  # words that never reached the disk
    assert view.unheard([events[0], Failed(error)]) is None

    def drawn(live: view.Live) -> str:
        return part("rooms/talk/entries.html", "live", live, {"face": Face("ねむ", "")}, JA)

    assert not read(drawn(live)).one("details.reasoning").attributes.get("open")
    assert "&lt;b&gt;hm" in drawn(live)
    assert "<strong>だね</strong>" in drawn(live)
    assert read(drawn(view.Live())).all(".dots")


def test_a_mind_is_named_where_it_changes_and_says_what_it_is() -> None:
    said = [message(n, "persona", mind=mind) for n, mind in enumerate(["a", "a", "built-in", "built-in", "a"])]
    assert view.minds(said, EN) == {"m2": EN("mind.builtin_name"), "m4": "a"}
    assert view.minds([message(9, "persona", mind=GREETING), *said], EN) == view.minds(said, EN)

    def chip(status: MindStatus, t: Texts) -> str:
        return part("components/pieces.html", "mind_chip", status, t)

    status = MindStatus("built-in", "内蔵", "built in", is_language_model=False, leaves_machine=False)
    assert "言語モデルではありません" in chip(status, JA)
    assert "not a language model" in chip(status, EN)
    cloud = MindStatus("gemini-2.5-flash", "雲", "cloud", is_language_model=True, leaves_machine=True)
    assert "goes over the network" in chip(cloud, EN)
    assert "not a language model" not in chip(cloud, EN)
    away = MindStatus("llama", "ラマ", "llama", is_language_model=True, leaves_machine=False, is_answering=False)
    shown = read(chip(away, EN))
    assert "not answering" in shown.text
    assert shown.one(".mind-chip").classes == ["mind-chip", "away"]


def test_what_was_recalled_is_told_with_its_reason() -> None:
    hit = Hit("海へ行った<b>", "log_archive", "semantic", "log_archives/2026-01.txt", ("m1",), 0.5, NOW, "ミナ")
    assert "75%" in view.reason(hit, JA)


def test_a_notice_keeps_its_name_while_its_words_stay_and_what_moves_on_is_the_same_one() -> None:
    levels: tuple[Literal["info", "warning", "passing"], ...] = ("info", "warning", "passing")
    told = {level: [Notice("a", f"{n}%", f"{n}%", level) for n in (10, 20)] for level in levels}
    names = {level: {frame._shown(notice, "en").key for notice in notices} for level, notices in told.items()}
    assert names["passing"] == {"a"}
    assert len(names["info"]) == len(names["warning"]) == 2
    assert all(re.fullmatch(r"a:\d+", name) for name in names["info"])
