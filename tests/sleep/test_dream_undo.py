"""A night is taken back, whole, and what came later stays; what was undone or deleted is not dreamt again."""

from datetime import date, datetime

import pytest

from agent.minds.builtin.mind import BuiltInDreamMind
from managers.mind import Cancel
from managers.sleep.tasks import DayDraft, DayMaterial
from managers.storage.errors import UndoConflictError
from tests.sleep.dreamers import Life, ScriptedDreamMind


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


def test_undo_shows_a_conflict_where_the_same_thing_changed_since(life: Life) -> None:
    report = life.dreamer().dream()
    mine = life.episode(life.episodes.days()[0]).model_copy(update={"summary": "ほんとうは違う日。"})
    life.episodes.save(mine, author="user", reason="edited")
    changed = life.files()
    with pytest.raises(UndoConflictError):
        life.history.undo(report.entries[0], author="user")
    assert life.files() == changed


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
