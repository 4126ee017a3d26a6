"""A night is taken back, whole, and what came later stays; what was undone or deleted is not dreamt again."""

from datetime import datetime

import pytest

from managers.memory.entity_store import EntityStore
from managers.memory.episodes import EpisodeStore
from managers.memory.log import ConversationLog
from managers.sleep.tasks import DayDraft, DayMaterial
from managers.storage.errors import UndoConflictError
from managers.storage.history import History
from managers.storage.paths import PersonaPaths
from tests.fakes import HandClock
from tests.sleep.dreamers import (
    ScriptedDreamMind,
    make_dreamer,
    memory_files,
)


def test_one_run_is_one_entry_and_undo_restores_every_byte(
    paths: PersonaPaths, night: HandClock, log: ConversationLog
) -> None:
    paths.core_memory.write_text("私はねむ。")
    EntityStore(paths, night).note("貴船神社", "花が好きな場所", author="user", mind="user")
    before = memory_files(paths)
    report = make_dreamer(paths, night, log).dream()
    assert len(report.entries) == 1
    assert memory_files(paths) != before
    history = History(paths, night)
    entry = history.entries(1)[0]
    assert entry.author == "dream"
    assert entry.evidence
    history.undo(report.entries[0], author="user")
    assert memory_files(paths) == before


def test_what_was_undone_stays_undone_until_asked_for(
    paths: PersonaPaths, night: HandClock, log: ConversationLog
) -> None:
    report = make_dreamer(paths, night, log).dream()
    after = memory_files(paths)
    History(paths, night).undo(report.entries[0], author="user")
    night.move(days=1)
    assert make_dreamer(paths, night, log).dream().entries == ()
    night.move(days=-1)
    make_dreamer(paths, night, log).dream(catch_up=True)
    assert {name for name in after if "episodic" in name} <= memory_files(paths).keys()


def test_undo_leaves_what_a_person_wrote_since(paths: PersonaPaths, night: HandClock, log: ConversationLog) -> None:
    before = memory_files(paths)
    report = make_dreamer(paths, night, log).dream()
    store = EntityStore(paths, night)
    text, _ = store.read_text("貴船神社")
    store.path("貴船神社").write_text(text + "水の神様。\n")
    History(paths, night).undo(report.entries[0], author="user")
    assert "水の神様。" in store.read_text("貴船神社")[0]
    assert [fact for fact in store.all()[0].facts if not fact.is_users] == []
    assert memory_files(paths).keys() - before.keys() == {"entity_memory/貴船神社.md"}


def test_undo_shows_a_conflict_where_the_same_thing_changed_since(
    paths: PersonaPaths, night: HandClock, log: ConversationLog
) -> None:
    report = make_dreamer(paths, night, log).dream()
    store = EpisodeStore(paths, night)
    day = store.days()[0]
    episode = store.get(day)
    assert episode is not None
    store.save(episode.model_copy(update={"summary": "ほんとうは違う日。"}), author="user", reason="edited")
    changed = memory_files(paths)
    with pytest.raises(UndoConflictError):
        History(paths, night).undo(report.entries[0], author="user")
    assert memory_files(paths) == changed


def test_what_a_person_edits_during_a_dream_stays(paths: PersonaPaths, night: HandClock, log: ConversationLog) -> None:
    store = EntityStore(paths, night)
    store.note("貴船神社", "水の神様", author="user", mind="user")

    def edit_meanwhile(material: DayMaterial) -> DayDraft:
        path = store.path("貴船神社")
        path.write_text(path.read_text().replace("水の神様", "縁結びの神様") + "私の一行\n")
        return DayDraft(summary="温泉の話を聞いた一日だった。", evidence=[material.messages[0].id])

    make_dreamer(paths, night, log, ScriptedDreamMind(summarise_day=edit_meanwhile)).dream()
    text = store.path("貴船神社").read_text()
    assert "縁結びの神様" in text
    assert "私の一行" in text
    assert "貴船神社に行く予定です" in text


def test_an_episode_that_a_person_corrected_is_left_alone(
    paths: PersonaPaths, night: HandClock, log: ConversationLog
) -> None:
    dreamer = make_dreamer(paths, night, log)
    dreamer.dream()
    path = EpisodeStore(paths, night).path(datetime(2026, 11, 20).date())
    path.write_text(path.read_text().replace("花さんと", "花さんと楽しく"))
    log.append("user", "花", "おやすみなさい、また明日ね。", time=datetime(2026, 11, 20, 23, 0))
    corrected = path.read_text()
    dreamer.dream(catch_up=True)
    assert path.read_text() == corrected


def test_an_episode_that_a_person_deleted_does_not_come_back(
    paths: PersonaPaths, night: HandClock, log: ConversationLog
) -> None:
    dreamer = make_dreamer(paths, night, log)
    dreamer.dream()
    store = EpisodeStore(paths, night)
    store.delete(datetime(2026, 11, 19).date(), author="user", reason="forget")
    assert dreamer.pending_days(thorough=True) == []
