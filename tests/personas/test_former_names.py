"""A persona is found under a name that it had before, as long as nobody else is called so."""

import json
from pathlib import Path

import pytest

from managers.personas import PersonaStore
from managers.storage.paths import Home
from tests.fakes import HandClock
from tests.personas.folders import history_of


def test_an_old_name_leads_to_the_new_one(store: PersonaStore, clock: HandClock) -> None:
    store.create("ねむ", language="ja", greeting="やあ")
    assert store.renamed_to("ねむ") is None
    store.rename("ねむ", "ゆめ")
    clock.move(days=1)
    store.rename("ゆめ", "うつつ")
    assert store.renamed_to("ねむ") == store.renamed_to("ゆめ") == "うつつ"
    assert store.renamed_to("うつつ") is None
    assert store.renamed_to("だれか") is None
    assert store.renamed_to("../x\x00") is None
    assert store.get("うつつ").greeting == "やあ"
    assert history_of(store, "うつつ").entries()[0].reason == "renamed"


def test_a_name_that_is_in_use_again_leads_to_its_new_owner(store: PersonaStore, clock: HandClock) -> None:
    store.create("a", language="en")
    store.rename("a", "b")
    store.create("a", language="en")
    assert store.renamed_to("A") is None  # names that some file system takes for one
    clock.move(days=1)
    store.rename("a", "c")
    assert store.renamed_to("a") == "c"  # who had it last
    store.delete("c")
    assert store.renamed_to("a") == "b"
    store.rename("b", "a")
    assert store.renamed_to("b") == "a"
    store.rename("a", "A")
    assert store.renamed_to("b") == "A"


def test_a_copy_is_nobodys_old_name(store: PersonaStore) -> None:
    store.create("a", language="en")
    store.rename("a", "z")
    store.duplicate("z", "b")
    assert store.renamed_to("a") == "z"
    store.delete("z")
    assert store.renamed_to("a") is None


def test_a_dozen_names_are_kept(store: PersonaStore, clock: HandClock) -> None:
    store.create("n0", language="en")
    for number in range(1, 20):
        clock.move(minutes=1)
        store.rename(f"n{number - 1}", f"n{number}")
    assert [store.renamed_to(f"n{number}") for number in (6, 7, 18)] == [None, "n19", "n19"]
    kept = json.loads(store.get("n19").paths.persona_json.read_text("utf-8"))["former_names"]
    assert len(kept) == 12


@pytest.mark.parametrize("content", ["{", "[]", '{"former_names": 7}', '{"former_names": [7, {"name": {}}]}'])
def test_a_broken_file_costs_no_rename_and_no_look(store: PersonaStore, content: str) -> None:
    path = store.create("a", language="en").paths.persona_json
    path.write_text(content, "utf-8")
    assert store.rename("a", "b").name == "b"
    folder = Home(store.home.folder).characters / "b"
    is_broken = content in ("{", "[]")
    assert (Path(folder / "persona.json").read_text("utf-8") == content) is is_broken
    assert store.renamed_to("a") == (None if is_broken else "b")
