from __future__ import annotations

from datetime import datetime

from managers.sleep.records import dream_records
from managers.storage.history import History
from managers.storage.paths import PersonaPaths
from tests.fakes import HandClock
from tests.sleep.dreamers import make_dreamer, two_days


def test_each_dream_can_be_read_again_and_found_in_the_history(paths: PersonaPaths, clock: HandClock) -> None:
    clock.set(datetime(2026, 11, 21, 3))
    report = make_dreamer(paths, clock, two_days(paths, clock)).dream(catch_up=True)
    newest, oldest = dream_records(paths)
    assert (newest.days, oldest.days) == (["2026-11-20"], ["2026-11-19"])
    assert [change.text for change in [*oldest.changes, *newest.changes]] == [change.text for change in report.changes]
    assert newest.messages_read == 4
    assert dream_records(paths, limit=1) == [newest]
    assert dream_records(paths, before=newest) == [oldest]
    history = History(paths, clock)
    assert history.entries(1, path=newest.path)[0].id == report.entries[-1]
    history.undo(report.entries[-1], author="user")
    assert dream_records(paths) == [oldest]


def test_other_files_of_that_name_do_no_harm(paths: PersonaPaths) -> None:
    paths.memory.mkdir()
    (paths.memory / "dream_2026.json").write_text("mine")
    assert dream_records(paths) == []
