import os
import time
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from managers.memory.entities import KEPT_FACTS, Entity, Fact, bounded, name_key, with_fact
from managers.memory.entity_cards import format_entity, parse_entity
from managers.memory.entity_store import EntityStore
from managers.memory.json_documents import USER
from managers.storage.errors import ExternallyChangedError, UnsafeNameError
from managers.storage.paths import PersonaPaths
from tests.fakes import HandClock


def fact(text: str, *evidence: str, since: str = "2026-01-05", slot: str = "") -> Fact:
    return Fact(text, evidence or ("m1",), "built-in", since=since, slot=slot)


def tanaka(*facts: Fact) -> Entity:
    entity = Entity("田中さん", "person", "2026-01-01 12:00:00", ("Tanaka",), "built-in")
    for one in facts:
        entity = with_fact(entity, one)
    return entity


@pytest.fixture
def store(paths: PersonaPaths, clock: HandClock) -> EntityStore:
    return EntityStore(paths, clock)


@given(
    st.text(st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\x85\u2028\u2029"), max_size=80),
    st.text(max_size=20),
    st.sampled_from(["", "home"]),
)
@settings(max_examples=40)
def test_any_fact_and_any_evidence_survive_the_file(text: str, evidence: str, slot: str) -> None:
    told = tanaka(Fact(text, (evidence, "m2"), "m", since="2026-01-05", slot=slot), fact("猫を飼っている"))
    written = format_entity(told)
    again = parse_entity("田中さん", written)
    assert (again.kind, again.created, again.aliases) == (told.kind, told.created, told.aliases)
    assert [(f.text, f.evidence, f.mind, f.since, f.slot) for f in again.facts] == [
        (f.text, f.evidence, f.mind, f.since, f.slot) for f in told.facts
    ]
    assert written.startswith("# Entity Memory: 田中さん\nCreated: 2026-01-01 12:00:00\n")
    assert format_entity(again) == written


def test_a_persons_text_is_kept_to_the_letter() -> None:
    text = "# Entity Memory: 田中さん\nCreated: 2026-01-01 12:00:00\n\n私のマスター。創作活動に興味がある。\n優しいが、時々厳しい面も見せる。\n"
    entity = with_fact(parse_entity("田中さん", text), fact("猫を飼っている"))
    written = format_entity(entity)
    assert "私のマスター。創作活動に興味がある。\n優しいが、時々厳しい面も見せる。\n" in written
    assert "- 猫を飼っている <!--" in written


def test_what_a_person_does_to_a_cards_head_costs_nothing() -> None:
    card = tanaka(fact("京都に住んでいる"))
    written = format_entity(card)
    for after in ("# Entity Memory: 田中さん\n", "12:00:00\n"):
        assert parse_entity("田中さん", written.replace(after, after + "\n\n")) == card
    assert parse_entity("田中さん", "\n" + written) == card
    read = parse_entity("田中さん", written.replace("Memory: 田中さん\n", "Memory: 田中さん (my teacher)\n"))
    assert (read.aliases, read.kind, read.lines[0]) == (("Tanaka",), "person", "(my teacher)")
    assert parse_entity("田中", written).text() == parse_entity("田中さん", written).text()


def test_a_bullet_whose_words_were_changed_is_the_persons() -> None:
    written = format_entity(tanaka(fact("京都に住んでいる", slot="home")))
    edited = parse_entity("田中さん", written.replace("京都に住んでいる", "本当は宇治に住んでいる"))
    assert edited.facts[0].mind == USER
    moved = with_fact(edited, fact("大阪に引っ越した", "m9", since="2026-04-01", slot="home"))
    assert moved.facts[0].text == "本当は宇治に住んでいる"
    assert not moved.facts[0].until


def test_a_changed_fact_becomes_history_and_one_that_is_said_again_has_more_evidence() -> None:
    moved = tanaka(fact("京都に住んでいる", slot="home"), fact("大阪に引っ越した", "m9", since="2026-03", slot="home"))
    assert [f.text for f in moved.current_facts] == ["大阪に引っ越した"]
    assert moved.facts[0].text == "2026-03まで: 京都に住んでいる"
    again = tanaka(fact("猫を飼っている", "m1"), fact("猫を飼っている。", "m2"))
    assert [f.evidence for f in again.facts] == [("m1", "m2")]
    english = with_fact(Entity("Ann"), fact("lived in Kyoto", slot="home"))
    english = with_fact(english, fact("moved to Oslo", "m9", since="2026-03-20", slot="home"))
    assert english.facts[0].text == "until 2026-03: lived in Kyoto"


def test_aliases_land_on_one_entity(store: EntityStore) -> None:
    store.note("田中さん", "絵を描く", author="user", mind="user", kind="person")
    text, read = store.read_text("田中さん")
    store.write_text("田中さん", text.replace('ses": []', 'ses": ["Tanaka"]'), based_on=read, author="user", reason="")
    for name in ("田中", "Tanaka", "tanaka", "田中さん"):
        assert (found := store.find(name)) is not None
        assert found.name == "田中さん"
    assert store.find("佐藤") is None
    for one, other in (("田中さん", "田中"), ("Ｔａｎａｋａ", "tanaka"), ("Dr. Smith", "smith")):
        assert name_key(one) == name_key(other)


def test_what_cannot_be_written_or_read_is_said(store: EntityStore, paths: PersonaPaths) -> None:
    store.note("Luna", "a cat", author="user", mind="user", kind="pet")
    _, read = store.read_text("Luna")
    store.path("Luna").write_text("changed elsewhere")
    with pytest.raises(ExternallyChangedError):
        store.write_text("Luna", "mine", based_on=read, author="user", reason="edit")
    with pytest.raises(UnsafeNameError):
        store.path("../../x")
    (paths.entity_memory / "x.md").write_bytes(b"\xff\xfe\x00")
    assert [one.name for one in store.all()] == ["Luna"]
    assert store.notices[0].code == "file-set-aside"


def test_what_is_noted_joins_what_an_editor_saved_just_now(store: EntityStore) -> None:
    """Into the same file: the folder tells nothing of that, and who is listed is as they were for seconds."""
    store.note("Tanaka", "lives in Kyoto", author="Nemu", mind="m")
    path = store.path("Tanaka")
    long_ago = time.time() - 60
    for old in (path, path.parent):
        os.utime(old, (long_ago, long_ago))
    assert store.find("tanaka")
    with path.open("a", encoding="utf-8") as file:
        file.write("He proposed to me on the bridge.\n")
    assert (known := store.noted("tanaka", "plays the cello", mind="m")[0]) is not None
    assert "on the bridge" in known.text()
    store.note("tanaka", "plays the cello", author="Nemu", mind="m")
    assert "on the bridge" in path.read_text("utf-8")


def test_a_card_in_another_normal_form_is_written_where_it_lies(paths: PersonaPaths, clock: HandClock) -> None:
    first = EntityStore(paths, clock)
    first.note("ガク", "京都に住んでいる", author="Nemu", mind="m")
    decomposed = first.path("ガク").with_name(unicodedata.normalize("NFD", "ガク.md"))
    first.path("ガク").rename(decomposed)
    store = EntityStore(paths, clock)
    store.note("ガク", "チェロを弾く", author="Nemu", mind="m")
    assert [path.name for path in paths.entity_memory.iterdir()] == [decomposed.name]
    assert {"京都に住んでいる", "チェロを弾く"} <= {one.text for one in store.all()[0].facts}
    text, based_on = store.read_text("ガク")
    store.write_text("ガク", text + "猫が好き\n", based_on=based_on, author="user", reason="")
    assert "猫が好き" in decomposed.read_text("utf-8")


def test_a_file_does_not_grow_for_ever_and_keeps_what_matters() -> None:
    entity = tanaka(fact("京都に住んでいる", since="2020-01-01", slot="home"))
    for number in range(2 * KEPT_FACTS):
        entity = with_fact(entity, fact(f"出来事{number}", f"m{number}", since=f"2026-02-{number % 28 + 1:02d}"))
    kept, older = bounded(entity)
    assert len(kept.facts) == KEPT_FACTS + 1
    assert len(older) == KEPT_FACTS
    assert kept.facts[0].slot == "home"


def test_several_words_find_whoever_holds_all_of_them(store: EntityStore) -> None:
    store.note("モモちゃん", "猫。入院していた。", author="user", mind="user")
    store.note("ゆき", "モモちゃんの入院を心配していた。", author="user", mind="user")
    store.note("京都", "来週行く。", author="user", mind="user")
    assert [entity.name for entity in store.search("モモ 入院")] == ["モモちゃん", "ゆき"]
    assert [entity.name for entity in store.search("モモ　心配")] == ["ゆき"]
    assert store.search("モモ 京都") == []
    assert store.search(" 　") == []
