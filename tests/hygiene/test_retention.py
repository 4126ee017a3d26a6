"""What is older than it stays in use is put away by kind, archive first; everything stays by default."""

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest

from commands import line
from managers.hygiene.housekeeping import Housekeeping
from managers.memory.insights import Insight, Insights
from managers.memory.json_documents import USER, write_plainly
from managers.memory.log import ConversationLog
from managers.memory.strategies import DecompositionPattern, FailurePattern, Pattern, Strategies, StrategyStore
from managers.memory.working_copy import Stores, WorkingCopy
from managers.personas import PersonaStore
from managers.recall.engine import Recall
from managers.storage.clock import SystemClock
from managers.storage.history import History
from managers.storage.paths import Home, PersonaPaths
from managers.storage.settings import MemorySettings, RecallSettings, SettingsFile
from tests.fakes import HandClock
from tests.hygiene.test_limits import lives, texts, write

Filled = Callable[[WorkingCopy], None]
TABLE = MemorySettings(retention="table", hygiene=False)


def pattern(number: int, told: str, **values: object) -> DecompositionPattern:
    about = {"kind": "decomposition", "query_pattern": f"way {number}", "created_at": told, "updated_at": told}
    return DecompositionPattern.model_validate({"id": f"st_{number}", **about, **values})


def helping(clock: HandClock) -> Filled:
    """Write ways to help: an old one, a new one, and old ones that a person pinned or changed; and a complaint."""
    old, new = (f"{clock.now() - timedelta(days=days):%Y-%m-%d %H:%M:%S}" for days in (91, 89))
    complaint = FailurePattern(
        id="fp_1", kind="failure", pattern="x", mitigation="less", created_at=old, updated_at=old
    )
    known: list[Pattern] = [pattern(1, old), pattern(2, new), pattern(3, old, pinned=True), pattern(4, old, mind=USER)]

    def fill(copy: WorkingCopy) -> None:
        copy.strategies = Strategies([*known, complaint])

    return fill


def ids(paths: PersonaPaths, clock: HandClock) -> set[str]:
    return {one.id for one in StrategyStore(paths, clock).load().entries}


def test_everything_stays_by_default(paths: PersonaPaths, clock: HandClock) -> None:
    lives(paths, clock)
    write(paths, clock, helping(clock))
    before = texts(paths, clock), ids(paths, clock)
    keeping = Housekeeping(paths, clock, write_plainly(paths), MemorySettings())
    assert not keeping.due()
    assert keeping.after_night(0).put_away == 0
    assert (texts(paths, clock), ids(paths, clock)) == before


def test_the_table_puts_old_ways_to_help_away_and_they_come_back(paths: PersonaPaths, clock: HandClock) -> None:
    lives(paths, clock)
    write(paths, clock, helping(clock))
    before = texts(paths, clock)
    with_history = History(paths, clock)
    keeping = Housekeeping(paths, clock, with_history.change, TABLE)
    assert {one.memory.text for one in keeping.due()} == {"way 1", "less"}
    assert keeping.after_night(0).put_away == 2
    assert ids(paths, clock) == {"st_2", "st_3", "st_4"}
    assert texts(paths, clock) == before
    copy = WorkingCopy(Stores.open(paths, clock))
    assert {(one.kind, one.why) for one in keeping.archive.entries(copy)} == {("pattern", "expired")}
    keeping.restore(["st_1"])
    assert ids(paths, clock) == {"st_1", "st_2", "st_3", "st_4"}
    assert keeping.after_night(0).put_away == 0  # what came back rests first
    with_history.undo(with_history.entries(2)[1].id, author=USER, leave_changed=True)
    assert "fp_1" in ids(paths, clock)
    with_history.close()


def test_days_of_ones_own_hold_for_each_kind_alone(paths: PersonaPaths, clock: HandClock) -> None:
    lives(paths, clock)
    of = {"retention": "own", "hygiene": False, "patterns_days": 0}
    keeping = Housekeeping(paths, clock, write_plainly(paths), MemorySettings.model_validate({**of, "facts_days": 9}))
    assert keeping.expire() == 1
    assert "faded" not in texts(paths, clock)
    assert {"thought", "day 0", "event 0"} <= texts(paths, clock)
    keeping = Housekeeping(
        paths, clock, write_plainly(paths), MemorySettings.model_validate({**of, "episodes_days": 9})
    )
    keeping.expire()
    assert texts(paths, clock) == {"today", "pinned", "mine", "my own", "thought", "day 1", "other 1"}
    keeping.restore(None)
    assert {"faded", "day 0", "event 0", "event 1"} <= texts(paths, clock)


def test_what_nobody_dated_stays(paths: PersonaPaths, clock: HandClock) -> None:
    def fill(copy: WorkingCopy) -> None:
        undated = Insight(insight="thought", trigger_topic="", strategy="", log_entry="", created_at="")
        copy.insights = Insights([undated])
        copy.strategies = Strategies([pattern(1, "")])

    write(paths, clock, fill)
    settings = MemorySettings(retention="own", insights_days=1, patterns_days=1)
    assert Housekeeping(paths, clock, write_plainly(paths), settings).expire() == 0


def test_talk_that_is_older_is_not_found_any_more_and_stays_in_its_files(paths: PersonaPaths, clock: HandClock) -> None:
    log = ConversationLog(paths, clock, Random(1))
    now = clock.now()
    for days in (60, 3):
        clock.set(now - timedelta(days=days))
        log.append("user", "Sam", f"Zebulon likes pears, {days} days ago.")
    clock.set(now)
    limits = MemorySettings()
    recall = Recall(paths, log, RecallSettings(), clock, limits=limits)
    recall.catch_up()
    past = f"{now - timedelta(days=60):%Y-%m-%d}"

    def found() -> set[str]:
        searches = (
            recall.search("Zebulon pears"),
            recall.search_past_conversations("Zebulon", with_recent=True),
            recall.recall_memories("What does Zebulon like?"),
            recall.recall_memories(f"What did we talk about on {past}?"),
        )
        return {hit.text for hits in searches for hit in hits}

    assert len(found()) == 2
    limits.retention = "table"
    assert found() == {"Zebulon likes pears, 3 days ago."}
    limits.retention = "everything"
    assert len(found()) == 2
    recall.close()


def test_on_the_command_line_it_is_shown_and_put_away(own_home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    clock = SystemClock()
    paths = PersonaStore(own_home, clock, Random(1)).create("Hazel", language="en").paths
    _write_old_way(paths, clock)
    assert line.run(["archive", "Hazel", "preview"]) == 0
    assert "way 1" not in capsys.readouterr().out
    SettingsFile(Path(own_home.folder) / "settings.toml").change("memory", retention="table")
    assert line.run(["archive", "Hazel", "preview", "--json"]) == 0
    assert [json.loads(one)["text"] for one in capsys.readouterr().out.splitlines()] == ["way 1"]
    assert line.run(["archive", "Hazel", "now"]) == 0
    assert "1 put away" in capsys.readouterr().out
    assert line.run(["archive", "Hazel", "list", "--json"]) == 0
    assert [json.loads(one)["why"] for one in capsys.readouterr().out.splitlines()] == ["expired"]


def _write_old_way(paths: PersonaPaths, clock: SystemClock) -> None:
    copy = WorkingCopy(Stores.open(paths, clock))
    copy.strategies = Strategies([pattern(1, "2020-01-01 00:00:00")])
    write_plainly(paths)(copy.files(), author="test", reason="test")
