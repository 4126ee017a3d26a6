"""The samples come once, whole, and never replace what a person made."""

from pathlib import Path
from random import Random

import pytest
from PIL import Image

from managers.personas import PersonaStore
from managers.storage.paths import CHECKOUT, Home
from tests.crash import Kill, needs_signals, places
from tests.fakes import HandClock
from tests.personas.folders import SAMPLES


def _samples(home: Home) -> None:
    PersonaStore(home, HandClock(), Random(1)).install_samples()


@needs_signals
def test_killed_anywhere_the_samples_come_whole_and_once(tmp_path: Path, kill: Kill) -> None:
    fresh = places(tmp_path)
    for death in kill(_samples, lambda: (Home(next(fresh)),), whens=("before",), stride=9):
        store = PersonaStore(death.given[0], HandClock(), Random(1))
        store.install_samples()
        assert store.list_names() == sorted(SAMPLES), death
        assert all(persona.system_prompt and persona.avatar for persona in store.list())


def test_the_samples_come_once_a_deleted_one_stays_away_and_a_broken_record_costs_nothing(store: PersonaStore) -> None:
    assert sorted(persona.name for persona in store.install_samples()) == sorted(SAMPLES)
    assert store.install_samples() == []
    record = store.home.folder / ".samples.json"
    known = record.read_bytes()
    record.write_bytes(b"\xff{")
    assert store.install_samples() == []
    assert store.list_names() == sorted(SAMPLES)
    record.write_bytes(known)
    store.delete("ねむ")
    store.rename("Hazel", "Filbert")
    assert store.install_samples() == []
    assert store.list_names() == ["Filbert"]


def test_a_sample_never_replaces_what_the_user_made(store: PersonaStore) -> None:
    store.create("ねむ", language="ja", greeting="わたしの")
    store.install_samples()
    assert store.get("ねむ").greeting == "わたしの"
    assert store.list_names() == sorted(SAMPLES)


@pytest.mark.parametrize(("name", "language"), [("ねむ", "ja"), ("Hazel", "en")])
def test_each_sample_is_complete(store: PersonaStore, name: str, language: str) -> None:
    store.install_samples()
    persona = store.get(name)
    assert persona.language == language
    assert persona.greeting
    assert persona.about
    assert name in persona.system_prompt
    assert name in persona.paths.core_memory.read_text("utf-8")
    assert persona.paths.notepad.read_text("utf-8").strip()
    assert persona.colours != type(persona.colours)()
    assert persona.avatar is not None
    with Image.open(persona.avatar) as picture:
        assert picture.size == (256, 256)
    assert not (CHECKOUT / "characters" / name / ".history").exists()
