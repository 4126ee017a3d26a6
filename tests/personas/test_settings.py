"""What a persona is: its settings, its user, its prompt, its colours; whatever version wrote them."""

import json

import pytest

from managers.personas import Colours, PersonaStore
from managers.personas.errors import ShrinkRefusedError
from managers.personas.persona_file import FORMAT, migrated, version
from managers.storage.errors import ExternallyChangedError, InvalidSettingError
from managers.storage.settings import Settings, merged
from tests.fakes import HandClock


def test_settings_of_its_own_are_checked_and_taken_back(store: PersonaStore) -> None:
    store.create("a", language="en")
    store.set_settings("a", "recall", per_index=5, threshold=0.5)
    with pytest.raises(InvalidSettingError, match=r"recall\.per_index"):
        store.set_settings("a", "recall", threshold=0.1, per_index=0)
    persona = store.set_settings("a", "recall", threshold=None)
    assert merged(Settings(), persona.settings)[0].recall.per_index == 5
    assert persona.settings == {"recall": {"per_index": 5}}


def test_colours_that_are_none_are_not_used(store: PersonaStore) -> None:
    path = store.create("a", language="en").paths.persona_json
    path.write_text(json.dumps({"colours": {"accent": "#A0b1C2"}}))
    assert store.get("a").colours.accent == "#A0b1C2"
    path.write_text(json.dumps({"colours": {"accent": "red; } body {"}}))
    assert store.get("a").colours.accent == Colours().accent


def test_records_of_steps_that_are_no_list_keep_nobody_from_changing_it(store: PersonaStore) -> None:
    path = store.create("a", language="en").paths.persona_json
    for strange in ("x", {"step": 1}, 7, None, True):
        path.write_text(json.dumps({"user_name": "Aoi", "migrations": strange}))
        assert store.set_greeting("a", "hello").user_name == "Aoi"
        (step,) = json.loads(path.read_text())["migrations"]
        assert step["step"] == "gather_user"


def test_what_this_version_does_not_know_is_left_alone(store: PersonaStore) -> None:
    path = store.create("a", language="en").paths.persona_json
    document = {**json.loads(path.read_text()), "format": FORMAT + 1, "voice": {"pitch": 2}}
    path.write_text(json.dumps(document))
    persona = store.set_greeting("a", "hello")
    assert [notice.code for notice in persona.notices] == ["persona-newer"]
    assert json.loads(path.read_text()) == {**document, "greeting": "hello"}


def test_an_older_file_is_brought_up_to_date_and_says_so(store: PersonaStore, clock: HandClock) -> None:
    path = store.create("a", language="en").paths.persona_json
    path.write_text('{"language": "ja", "user_name": "あおい", "user_profile": "教師"}', "utf-8")
    persona = store.get("a")
    assert (persona.user_name, persona.user_profile, persona.language) == ("あおい", "教師", "ja")
    assert "format" not in path.read_text()
    store.set_greeting("a", "やあ")
    document = json.loads(path.read_text("utf-8"))
    assert version(document) == FORMAT
    assert document["user"] == {"name": "あおい", "profile": "教師"}
    assert document["migrations"] == [{"step": "gather_user", "applied_at": "2026-11-21T12:00:00"}]
    assert migrated(document, clock.now()) == document


def test_the_system_prompt_is_written_against_what_was_read(store: PersonaStore) -> None:
    read = store.create("a", language="en", system_prompt="one")
    written = store.write_system_prompt("a", "two", based_on=read.system_prompt_digest)
    with pytest.raises(ExternallyChangedError) as conflict:
        store.write_system_prompt("a", "three", based_on=read.system_prompt_digest)
    assert conflict.value.facts["theirs"] == "two"
    with pytest.raises(ShrinkRefusedError):
        store.write_system_prompt("a", " ", based_on=written.system_prompt_digest)
    assert store.get("a").system_prompt == "two"
    store.write_system_prompt("a", "", based_on=written.system_prompt_digest, emptied=True)
    assert store.get("a").system_prompt == ""
