"""Names that people give, as folders; ids that sort by time and never meet."""

import unicodedata
from datetime import datetime
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from managers.storage.clock import SystemClock, new_id
from managers.storage.errors import NoNameError, UnsafeNameError
from managers.storage.paths import HOME_VARIABLE, MAX_NAME_BYTES, Home, find_home, safe_name
from tests.fakes import HandClock

KEPT = "ねむ|Hazel|Ольга|سلمى|李 小龍|Zoë|猫🐈|éééééééééé|a.b|O'Brien & Söhne|con queso|ﾈﾑ|ガ"
REFUSED = '. .. ../x a/b a\\b c: a*b a"b a<b a|b .hidden ~root -rf ends. CON nul.txt Com1 lpt9.old'
REFUSED_TOO = ["aux .x", "a\0b", "a\nb", "a\u202eb", "a\u200bb", "a\ud800b", "あ" * 41]


def test_names_in_any_script_are_kept_and_dangerous_ones_refused_with_a_reason() -> None:
    assert [safe_name(f"  {one} ") for one in KEPT.split("|")] == unicodedata.normalize("NFC", KEPT).split("|")
    for name in [*REFUSED.split(), *REFUSED_TOO]:
        with pytest.raises(UnsafeNameError) as refused:
            safe_name(name)
        assert refused.value.facts["reason_ja"]
        assert str(refused.value.facts["reason_en"]) in refused.value.sentence("en")
    for name in ("", "   ", "\n"):
        with pytest.raises(NoNameError):
            safe_name(name)


@given(st.text(max_size=60) | st.text("./\\\n\0~-aCON ", max_size=8))
def test_whatever_passes_is_one_plain_folder_below_its_parent(name: str) -> None:
    parent = Path("/home/user/characters")
    try:
        safe = safe_name(name)
    except UnsafeNameError:
        return
    assert ((parent / safe).parent, (parent / safe).name, safe_name(safe)) == (parent, safe, safe)
    assert len(safe.encode()) <= MAX_NAME_BYTES
    assert unicodedata.is_normalized("NFC", safe)
    assert not safe.startswith((".", "-", "~"))
    assert not {"\n", "/"} & set(safe)


def test_home_comes_from_the_argument_then_the_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "b"))
    assert find_home(tmp_path / "a") == Home(tmp_path / "a")
    assert find_home() == Home(tmp_path / "b")
    monkeypatch.delenv(HOME_VARIABLE)
    monkeypatch.setattr(Path, "home", classmethod(lambda _cls: tmp_path))
    assert find_home() == Home(tmp_path / "Utatane")
    with pytest.raises(UnsafeNameError):
        Home(tmp_path).persona("../../etc")


def test_ids_sort_by_time_and_never_meet() -> None:
    clock, rng = HandClock(datetime(2026, 1, 2, 22, 0, 0)), Random(1)
    first = {new_id(clock, rng) for _ in range(5_000)}
    clock.move(seconds=1)
    assert len(first) == 5_000
    assert all(one.startswith("20260102T220000-") for one in first)
    assert max(first) < new_id(clock, rng)


def test_the_system_clock_tells_local_and_universal_time() -> None:
    clock = SystemClock()
    assert (clock.now().tzinfo, clock.utc().utcoffset()) == (None, datetime.resolution * 0)
    assert clock.monotonic() <= clock.monotonic()
