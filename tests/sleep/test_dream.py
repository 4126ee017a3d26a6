"""A night: what it makes of the days, what it rests on, which days it looks at; and how it is taken back."""

import json
from datetime import date, datetime

import pytest

from agent.minds.builtin.mind import BuiltInDreamMind
from managers.mind import Cancel
from managers.sleep.errors import NothingSaidError
from managers.sleep.tasks import DayDraft, DayMaterial
from tests.sleep.dreamers import DAY_ONE, Life, ScriptedDreamMind, messages

FIRST, SECOND = date(2026, 11, 19), date(2026, 11, 20)


def test_a_night_makes_memories_that_rest_on_what_persons_said(life: Life) -> None:
    report = life.dreamer().dream()
    assert life.episodes.days() == [FIRST, SECOND]
    said = {message.id: message for message in life.log.messages()}
    assert report.changes
    assert all(change.mind == "built-in" and set(change.evidence) <= said.keys() for change in report.changes)
    first = life.episode(FIRST)
    assert "花さん" in first.summary
    assert "有馬温泉" in first.summary
    assert len(first.key_events) == len(first.key_event_evidence)

    facts = [fact for entity in life.entities.all() for fact in entity.facts]
    assert facts
    assert {said[one].role for fact in facts for one in fact.evidence} == {"user"}
    assert {"有馬温泉", "貴船神社", "花の姉"} <= set(life.entities.names())
    assert life.entity("モモ").kind == "pet"
    assert life.entities.find("ねむ") is None

    questions = life.questions.load()
    answered = [q for q in questions.entries if q.status == "resolved"]
    assert [(q.evidence, q.answer_evidence) for q in answered] == [(["a5"], ["b0"])]
    assert "退院" in answered[0].answer
    assert any("貴船神社" in q.topic for q in questions.open)
    assert any("退院" in fact.text for fact in life.entity("モモちゃん").facts)
    assert not any("モモ" in fact.text for fact in life.entity("花").facts)  # of the user alone

    [goal] = life.goals.load().active("short_term")
    assert "簿記" in goal.goal
    assert goal.evidence == ["b2"]
    insight = life.insights.entries()[0]
    assert insight.evidence
    assert insight.trigger_topic in insight.insight
    assert insight.trigger_topic in insight.log_entry

    after = life.files()
    again = life.dreamer().dream()
    assert (again.changes, again.entries) == ((), ())
    assert life.files() == after


def test_a_dry_run_changes_nothing_and_shows_the_same(life: Life) -> None:
    before = life.files()
    dry = life.dreamer().dream(dry_run=True)
    assert life.files() == before
    assert dry.entries == ()
    wet = life.dreamer().dream()
    assert [change.plain() for change in dry.changes] == [change.plain() for change in wet.changes]


def test_a_stopped_catch_up_is_resumed_where_it_stopped(life: Life) -> None:
    cancel = Cancel()
    seen: list[tuple[int, int]] = []

    def stop_after_the_first(done: int, total: int) -> None:
        seen.append((done, total))
        cancel.set()

    stopped = life.dreamer().dream(catch_up=True, progress=stop_after_the_first, cancel=cancel)
    assert stopped.cancelled
    assert seen == [(1, 2)]
    assert life.episodes.days() == []  # the day under way is as if untouched
    resumed = life.dreamer().dream(catch_up=True)
    assert (len(resumed.days), len(resumed.entries)) == (2, 2)


def test_imported_messages_are_found_by_a_thorough_look(life: Life) -> None:
    life.log.append_many(messages(datetime(2026, 11, 18, 20), DAY_ONE, "w"))
    dreamer, day = life.dreamer(), date(2026, 1, 5)
    dreamer.dream()
    life.log.append_many(messages(datetime(2026, 1, 5, 20), DAY_ONE, "x"))
    assert dreamer.pending_days() == [day]
    dreamer.dream()
    life.log.append_many(messages(datetime(2026, 1, 5, 22), DAY_ONE[:3], "y"))
    assert dreamer.pending_days() == []
    assert dreamer.pending_days(thorough=True) == [day]


def test_single_tasks_by_hand(life: Life) -> None:
    report = life.dreamer().dream_of(FIRST, ("entities",))
    assert {change.what for change in report.changes} == {"entity"}
    assert life.episodes.days() == []
    with pytest.raises(NothingSaidError):
        life.dreamer().dream_of(date(2020, 1, 1))


def test_levels_come_on_their_days(life: Life) -> None:
    levels = []
    for day in range(36):
        life.say(f"今日は{day + 1}回目のピアノの練習をしました。", time=life.clock.now().replace(hour=1))
        life.clock.move(days=1)
        levels.append(life.dreamer().dream().level)
    assert levels.count(3) == 1
    assert levels.index(3) == 27  # thirty days after the first remembered day, two days before the first night
    assert [n for n, level in enumerate(levels) if level == 2] == [4, 11, 18, 25, 34]
    assert life.goals.load().meta.last_level1_date == life.clock.now().date()


def test_each_dream_leaves_a_record_that_goes_with_it(life: Life) -> None:
    report = life.dreamer().dream(catch_up=True)
    paths = sorted(life.paths.memory.glob("dream_2*.json"))
    first, second = (json.loads(path.read_text("utf-8")) for path in paths)
    assert (first["days"], second["days"], second["messages_read"]) == ([str(FIRST)], [str(SECOND)], 4)
    assert [one["text"] for one in first["changes"] + second["changes"]] == [one.text for one in report.changes]
    assert life.history.entries(1, path=paths[1])[0].id == report.entries[-1]
    life.history.undo(report.entries[-1], author="user")
    assert [*life.paths.memory.glob("dream_2*.json")] == paths[:1]


def test_one_run_is_one_entry_undo_restores_every_byte_and_it_stays_undone_until_asked_for(life: Life) -> None:
    life.paths.core_memory.write_text("私はねむ。")
    life.entities.note("貴船神社", "花が好きな場所", author="user", mind="user")
    before = life.files()
    report = life.dreamer().dream()
    after, entry = life.files(), life.history.entries(1)[0]
    assert after != before
    assert (report.entries, entry.author) == ((entry.id,), "dream")
    assert entry.evidence
    life.history.undo(entry.id, author="user")
    assert life.files() == before
    life.clock.move(days=1)
    assert life.dreamer().dream().entries == ()
    life.clock.move(days=-1)
    life.dreamer().dream(catch_up=True)
    assert {name for name in after if "episodic" in name} <= life.files().keys()


def test_undo_leaves_what_a_person_wrote_since(life: Life) -> None:
    before = life.files()
    report = life.dreamer().dream()
    store = life.entities
    text, _ = store.read_text("貴船神社")
    store.path("貴船神社").write_text(text + "水の神様。\n")
    life.history.undo(report.entries[0], author="user")
    assert "水の神様。" in store.read_text("貴船神社")[0]
    assert [fact for fact in store.all()[0].facts if not fact.is_users] == []
    assert life.files().keys() - before.keys() == {"entity_memory/貴船神社.md"}


def test_what_a_person_edits_during_a_dream_stays(life: Life) -> None:
    path = life.entities.path("貴船神社")
    life.entities.note("貴船神社", "水の神様", author="user", mind="user")

    def edit_meanwhile(material: DayMaterial) -> DayDraft:
        path.write_text(path.read_text().replace("水の神様", "縁結びの神様"))
        return BuiltInDreamMind().summarise_day(material, Cancel())

    def edit_later(_: object) -> None:  # when the card has been worked on
        path.write_text(path.read_text() + "私の一行\n")

    life.dreamer(ScriptedDreamMind(summarise_day=edit_meanwhile, reflect=edit_later)).dream()
    text = path.read_text()
    assert all(words in text for words in ("縁結びの神様", "私の一行", "貴船神社に行く予定です"))


def test_an_episode_that_a_person_corrected_or_deleted_is_left_alone(life: Life) -> None:
    dreamer, path = life.dreamer(), life.episodes.path(date(2026, 11, 20))
    dreamer.dream()
    life.episodes.delete(date(2026, 11, 19), author="user", reason="forget")
    assert dreamer.pending_days(thorough=True) == []
    path.write_text(path.read_text().replace("花さんと", "花さんと楽しく"))
    corrected = path.read_text()
    life.say("おやすみなさい、また明日ね。", time=datetime(2026, 11, 20, 23, 0))
    dreamer.dream(catch_up=True)
    assert path.read_text() == corrected
