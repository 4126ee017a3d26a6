"""A persona is found under a name that it had before, as long as nobody else is called so."""

from managers.personas import PersonaStore
from tests.fakes import HandClock
from tests.personas.folders import history_of


def test_an_old_name_leads_to_the_new_one(store: PersonaStore, clock: HandClock) -> None:
    store.create("ねむ", language="ja", greeting="やあ")
    assert store.renamed_to("ねむ") is None
    store.rename("ねむ", "ゆめ")
    clock.move(days=1)
    store.rename("ゆめ", "うつつ")
    names = ("ねむ", "ゆめ", "うつつ", "だれか", "../x\x00")
    assert [store.renamed_to(name) for name in names] == ["うつつ", "うつつ", None, None, None]
    assert store.get("うつつ").greeting == "やあ"
    assert history_of(store, "うつつ").entries()[0].reason == "renamed"


def test_a_name_in_use_again_leads_to_its_new_owner_and_a_copy_has_none(store: PersonaStore, clock: HandClock) -> None:
    store.create("a", language="en")
    store.rename("a", "b")
    store.duplicate("b", "twin")
    assert store.renamed_to("a") == "b"
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
    store.delete("A")
    assert store.renamed_to("b") is None
