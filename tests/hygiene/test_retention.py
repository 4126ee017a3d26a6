"""What is older than it stays in use is put away by kind, archive first; everything stays by default."""

import json
from contextlib import closing
from datetime import timedelta
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commands import line
from managers.hygiene.housekeeping import Housekeeping
from managers.memory.insights import Insight, Insights
from managers.memory.json_documents import USER
from managers.memory.log import ConversationLog
from managers.memory.strategies import DecompositionPattern, FailurePattern, Pattern, Strategies, StrategyStore
from managers.memory.working_copy import WorkingCopy
from managers.personas import PersonaStore
from managers.recall.engine import Recall
from managers.storage.clock import SystemClock
from managers.storage.history import History
from managers.storage.paths import Home
from managers.storage.settings import MemorySettings, RecallSettings, SettingsFile
from tests.fakes import HandClock
from tests.hygiene.kept import Kept

TABLE = MemorySettings(retention="table", hygiene=False)


def pattern(number: int, told: str, **values: object) -> DecompositionPattern:
    about = {"kind": "decomposition", "query_pattern": f"way {number}", "created_at": told, "updated_at": told}
    return DecompositionPattern.model_validate({"id": f"st_{number}", **about, **values})


def help_(kept: Kept) -> None:
    """Write ways to help: an old one, a new one, and old ones that a person pinned or changed; and a complaint."""
    old, new = (f"{kept.clock.now() - timedelta(days=days):%Y-%m-%d %H:%M:%S}" for days in (91, 89))
    told = {"created_at": old, "updated_at": old}
    complaint = FailurePattern(id="fp_1", kind="failure", pattern="x", mitigation="less", **told)
    known: list[Pattern] = [pattern(1, old), pattern(2, new), pattern(3, old, pinned=True), pattern(4, old, mind=USER)]

    def fill(copy: WorkingCopy) -> None:
        copy.strategies = Strategies([*known, complaint])

    kept.write(fill)


def ids(kept: Kept) -> set[str]:
    return {one.id for one in StrategyStore(kept.paths, kept.clock).load().entries}


def test_the_table_puts_old_ways_to_help_away_and_they_come_back_and_everything_stays_by_default(kept: Kept) -> None:
    before = kept.live()
    help_(kept)
    by_default, known = kept.keeping(MemorySettings()), ids(kept)
    assert not by_default.due()
    assert by_default.after_night(0).put_away == 0
    assert (kept.texts(), ids(kept)) == (before, known)
    with closing(History(kept.paths, kept.clock)) as history:
        keeping = Housekeeping(kept.paths, kept.clock, history.change, TABLE)
        assert {one.memory.text for one in keeping.due()} == {"way 1", "less"}
        assert keeping.after_night(0).put_away == 2
        assert ids(kept) == {"st_2", "st_3", "st_4"}
        assert kept.texts() == before
        assert {(one.kind, one.why) for one in kept.archived(keeping)} == {("pattern", "expired")}
        keeping.restore(["st_1"])
        assert ids(kept) == {"st_1", "st_2", "st_3", "st_4"}
        assert keeping.after_night(0).put_away == 0  # what came back rests first
        history.undo(history.entries(2)[1].id, author=USER, leave_changed=True)
        assert "fp_1" in ids(kept)


def test_days_of_ones_own_hold_for_each_kind_alone(kept: Kept) -> None:
    kept.live()
    of = {"retention": "own", "hygiene": False, "patterns_days": 0}
    assert kept.keeping(MemorySettings.model_validate({**of, "facts_days": 9})).expire() == 1
    assert "faded" not in kept.texts()
    assert {"thought", "day 0", "event 0"} <= kept.texts()
    keeping = kept.keeping(MemorySettings.model_validate({**of, "episodes_days": 9}))
    keeping.expire()
    assert kept.texts() == {"today", "pinned", "mine", "my own", "thought", "day 1", "other 1"}
    keeping.restore(None)
    assert {"faded", "day 0", "event 0", "event 1"} <= kept.texts()


@settings(max_examples=30)
@given(ages=st.lists(st.integers(0, 400), max_size=6), most=st.integers(1, 400))
def test_of_what_is_dated_exactly_what_is_older_goes_and_what_nobody_dated_stays(
    tmp_path_factory: pytest.TempPathFactory, ages: list[int], most: int
) -> None:
    home = Home(tmp_path_factory.mktemp("home"))
    home.persona("x").folder.mkdir(parents=True)
    kept = Kept(home.persona("x"), HandClock())

    def fill(copy: WorkingCopy) -> None:
        about = {"trigger_topic": "", "strategy": "", "log_entry": ""}
        dated = [(f"thought {n}", f"{kept.clock.now() - timedelta(days=age)}") for n, age in enumerate(ages)]
        told = [Insight(insight=text, created_at=when, **about) for text, when in (*dated, ("undated", ""))]
        copy.insights = Insights([one.model_copy(update={"id": f"in_{n}"}) for n, one in enumerate(told)])

    kept.write(fill)
    keeping = kept.keeping(MemorySettings(retention="own", insights_days=most))
    before = kept.texts()
    expired = {f"thought {n}" for n, age in enumerate(ages) if age > most}
    assert keeping.expire() == len(expired)
    assert kept.texts() == before - expired
    keeping.restore(None)
    assert kept.texts() == before


def test_talk_that_is_older_is_not_found_any_more_and_stays_in_its_files(kept: Kept) -> None:
    clock, now, limits = kept.clock, kept.clock.now(), MemorySettings()
    log = ConversationLog(kept.paths, clock, Random(1))
    for days in (60, 3):
        clock.set(now - timedelta(days=days))
        log.append("user", "Sam", f"Zebulon likes pears, {days} days ago.")
    clock.set(now)
    with closing(Recall(kept.paths, log, RecallSettings(), clock, limits=limits)) as recall:
        recall.catch_up()

        def found() -> set[str]:
            searches = (
                recall.search("Zebulon pears"),
                recall.search_past_conversations("Zebulon", with_recent=True),
                recall.recall_memories("What does Zebulon like?"),
                recall.recall_memories(f"What did we talk about on {now - timedelta(days=60):%Y-%m-%d}?"),
            )
            return {hit.text for hits in searches for hit in hits}

        assert len(found()) == 2
        limits.retention = "table"
        assert found() == {"Zebulon likes pears, 3 days ago."}
        limits.retention = "everything"
        assert len(found()) == 2


def test_on_the_command_line_it_is_shown_and_put_away(own_home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    paths = PersonaStore(own_home, SystemClock(), Random(1)).create("Hazel", language="en").paths
    kept = Kept(paths, HandClock())

    def fill(copy: WorkingCopy) -> None:
        copy.strategies = Strategies([pattern(1, "2020-01-01 00:00:00")])

    kept.write(fill)
    assert line.run(["archive", "Hazel", "preview"]) == 0
    assert "way 1" not in capsys.readouterr().out
    SettingsFile(own_home.settings).change("memory", retention="table")
    assert line.run(["archive", "Hazel", "preview", "--json"]) == 0
    assert [json.loads(one)["text"] for one in capsys.readouterr().out.splitlines()] == ["way 1"]
    assert line.run(["archive", "Hazel", "now"]) == 0
    assert "1 put away" in capsys.readouterr().out
    assert line.run(["archive", "Hazel", "list", "--json"]) == 0
    assert [json.loads(one)["why"] for one in capsys.readouterr().out.splitlines()] == ["expired"]
