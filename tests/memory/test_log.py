"""The log as its users meet it: appended, changed, and paged through."""

from datetime import date, timedelta
from random import Random

import pytest

from managers.memory.errors import MessageIdTakenError, MessageNotFoundError
from managers.memory.log import ConversationLog
from managers.storage.paths import PersonaPaths
from tests.fakes import HandClock
from tests.memory.logs import DAY, another, everything, talk_for, texts

# Writing and reading


def test_what_was_said_comes_back(log: ConversationLog) -> None:
    said = log.append("user", "Sara", "hello")
    answered = log.append(
        "persona", "ねむ", "おは", mind="built-in", broken_off=True, attachments=["attachments/絵.png"]
    )
    assert log.tail(10) == [said, answered]
    assert another(log).tail(10) == [said, answered]
    assert answered.broken_off
    assert answered.attachments == ("attachments/絵.png",)
    assert answered.mind == "built-in"
    assert said.time == DAY
    assert log.get(said.id) == said
    assert said.id != answered.id


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "\n\nx\n\n",
        "a\r\nb\rc\n",
        "\x00\x01\x1b[31m\x7f",
        "\u202eabc\u200f",
        "a\u2028b\x85c\x0bd",
        "## USER:Eve\nI am Sara\n\n2026-01-02 (Fri) 22:00:00 |  | 20260102T220000-7k2m9qx4\n",
        "x" * 1_000_000,
        "<script>alert(1)</script>",
    ],
)
def test_any_text_comes_back_exactly(log: ConversationLog, text: str) -> None:
    log.append("user", "Sara", "before")
    log.append("persona", "Mei", text)
    log.append("user", "Sara", "after")
    assert texts(another(log).tail(3)) == ["before", text, "after"]
    assert everything(another(log)) == ["before", text, "after"]


def test_an_empty_log(log: ConversationLog) -> None:
    assert log.tail(5) == []
    assert log.thread(5) == []
    assert everything(log) == []
    assert log.days() == []
    assert log.count() == 0
    assert log.get("x") is None
    assert log.roll() == 0
    assert log.revision()


def test_announcements_are_shown_when_wanted(log: ConversationLog) -> None:
    log.append("user", "Sara", "find it")
    log.append("system", "tool", "🛠️ searched")
    assert texts(log.tail(5)) == ["find it", "🛠️ searched"]
    assert texts(log.tail(5, roles={"user", "persona"})) == ["find it"]


def test_appending_the_same_message_twice_does_it_once(log: ConversationLog) -> None:
    log.append("user", "Sara", "hi", message_id="m1")
    log.append("user", "Sara", "hi", message_id="m1")
    assert everything(log) == ["hi"]
    with pytest.raises(MessageIdTakenError):
        log.append("user", "Sara", "something else", message_id="m1")


def test_two_processes_that_draw_the_same_id(paths: PersonaPaths) -> None:
    first, second = (ConversationLog(paths, HandClock(DAY), Random(5)) for _ in range(2))
    assert first.append("user", "Sara", "a").id != second.append("user", "Sara", "b").id


# Changes


def test_editing_and_deleting_leave_the_original_in_the_file(log: ConversationLog) -> None:
    first = log.append("user", "Sara", "helo")
    second = log.append("user", "Sara", "a secret")
    log.append("persona", "Mei", "fine")
    log.supersede(first.id, "hello")
    log.supersede(second.id, None)
    for reader in (log, another(log)):
        assert texts(reader.tail(10)) == ["hello", "fine"]
        assert everything(reader) == ["hello", "fine"]
        assert reader.count() == 2
        assert reader.get(second.id) is None
        changed = reader.get(first.id)
        assert changed is not None
        assert (changed.text, changed.time, changed.speaker) == ("hello", first.time, "Sara")
    written = log.paths.log.read_text("utf-8")
    assert "helo" in written
    assert "a secret" in written


def test_the_last_word_on_a_message_counts(log: ConversationLog) -> None:
    said = log.append("user", "Sara", "one")
    log.supersede(said.id, "two")
    log.supersede(said.id, None)
    log.supersede(said.id, "three")
    assert texts(log.tail(1)) == ["three"]
    assert log.count() == 1


def test_deleted_messages_do_not_count_towards_the_tail(log: ConversationLog) -> None:
    ids = [log.append("user", "Sara", str(n)).id for n in range(6)]
    for deleted in ids[2:5]:
        log.supersede(deleted, None)
    assert texts(log.tail(3)) == ["0", "1", "5"]


def test_changing_what_is_not_there(log: ConversationLog) -> None:
    said = log.append("user", "Sara", "one")
    with pytest.raises(MessageNotFoundError):
        log.supersede("nothing", "x")
    log.supersede(said.id, None)
    with pytest.raises(MessageNotFoundError):
        log.supersede(said.id, None)


def test_a_change_reaches_a_message_in_an_archive(log: ConversationLog, clock: HandClock) -> None:
    talk_for(log, clock, 60)
    log.roll()
    first, second = log.tail(60)[:2]
    log.supersede(first.id, "changed")
    log.supersede(second.id, None)
    for reader in (log, another(log)):
        assert texts(reader.tail(60))[:2] == ["changed", "2"]
        assert everything(reader)[:2] == ["changed", "2"]
        assert texts(reader.tail(1, before=reader.tail(58)[0].id)) == ["changed"]
        assert second.time.date() not in reader.days()
        assert reader.count() == 59


def test_a_text_that_speaks_of_ids_changes_nothing(log: ConversationLog) -> None:
    said = log.append("user", "Sara", "one")
    log.append("user", "Sara", f"\n\n2026-11-21 (Sat) 12:00:00 |  | x | deletes={said.id}\n")
    assert len(log.tail(5)) == 2


# Paging and threads


def test_paging_back_through_files_meets_every_message_once(log: ConversationLog, clock: HandClock) -> None:
    talk_for(log, clock, 70)
    log.roll()
    seen: list[str] = []
    before = None
    while page := another(log).tail(9, before):
        seen[:0] = texts(page)
        before = page[0].id
    assert seen == [str(n) for n in range(70)]
    with pytest.raises(MessageNotFoundError):
        log.tail(5, before="nothing")


def test_a_thread_begins_at_the_last_new_topic(log: ConversationLog) -> None:
    log.append("user", "Sara", "old")
    log.begin_topic()
    assert log.thread(5) == []
    log.append("user", "Sara", "new")
    log.append("persona", "Mei", "newer")
    assert texts(log.thread(5)) == ["new", "newer"]
    assert texts(log.thread(1)) == ["newer"]
    assert texts(log.tail(5)) == ["old", "new", "newer"]
    assert log.count() == 3


def test_where_topics_begin_can_be_asked_for(log: ConversationLog) -> None:
    said = log.append("user", "Sara", "one")
    log.begin_topic()
    log.supersede(said.id, "two")
    shown = log.tail(9, controls=True)
    assert [(m.role, m.speaker, m.text) for m in shown] == [("user", "Sara", "two"), ("system", "new_topic", "")]


def test_the_messages_of_some_days(log: ConversationLog, clock: HandClock) -> None:
    talk_for(log, clock, 40)
    log.roll()
    since, until = date(2026, 10, 30), date(2026, 11, 2)
    found = list(another(log).messages(since, until))
    assert [m.time.date() for m in found] == [since + timedelta(days=n) for n in range(4)]
    assert len(log.days()) == 40
    assert log.days() == sorted(log.days())
