"""What a folder asks for counts after a yes on this computer, with the values that were shown; our own page's does at once."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from managers.personas import Persona, PersonaStore
from managers.personas.errors import ChangedSinceShownError
from managers.personas.sensitive_settings import HARMLESS, digest_of, in_words, wishes_of
from managers.storage.settings import Settings, merged
from tests.hostile_folder import SETTINGS
from tests.personas.folders import history_of

LOCAL = {"provider": "openai", "base_url": "http://127.0.0.1:11434/v1"}
FOREIGN = {"provider": "openai", "base_url": "https://example.org/v1"}


def ask(store: PersonaStore, settings: Mapping[str, Any], name: str = "Nemu") -> Persona:
    """Write settings into the folder, as somebody else does."""
    path = store.get(name).paths.persona_json
    path.write_text(json.dumps({**json.loads(path.read_text("utf-8")), "settings": settings}), "utf-8")
    return store.get(name)


def answer(store: PersonaStore, *, yes: bool, name: str = "Nemu") -> Persona:
    store.door.answer(name, wishes=digest_of(store.get(name).wishes), yes=yes)
    return store.get(name)


def held(persona: Persona) -> Settings:
    return merged(Settings(), persona.settings)[0]


@pytest.fixture
def nemu(store: PersonaStore) -> Persona:
    return store.create("Nemu", language="en")


def test_what_a_folder_asks_for_does_not_count(store: PersonaStore, nemu: Persona) -> None:
    asking = ask(store, SETTINGS)
    assert held(asking) == held(nemu).model_copy(update={"recall": held(asking).recall})
    assert held(asking).recall.embedder == "auto"
    assert held(asking).recall.threshold == 0.7  # shapes what is found, and nothing else
    assert asking.asks
    assert [notice.code for notice in asking.notices] == ["persona-asks"]


def test_after_a_yes_it_counts_with_the_values_that_were_shown(store: PersonaStore, nemu: Persona) -> None:
    ask(store, SETTINGS)
    granted = answer(store, yes=True)
    assert held(granted).sleep.autonomous_actions_per_day == 24
    assert (granted.asks, granted.notices) == (False, ())
    shown = digest_of(granted.wishes)
    asking = ask(store, {**SETTINGS, "sleep": {"autonomous_actions_per_day": 25}})
    assert asking.asks
    assert held(asking).sleep.autonomous_actions_per_day == 24
    assert held(asking).sleep.autonomous_actions
    with pytest.raises(ChangedSinceShownError):
        store.door.answer("Nemu", wishes=shown, yes=True)


def test_words_go_on_where_they_went_when_a_folder_takes_a_setting_back(store: PersonaStore, nemu: Persona) -> None:
    store.set_settings("Nemu", "mind", **LOCAL)  # for this persona a model on this computer, whatever others use
    settings: Mapping[str, Any]
    for settings in ({}, {"mind": {"provider": "openai"}}, {"mind": FOREIGN}):
        asking = ask(store, settings)
        assert asking.asks
        assert held(asking).mind.base_url == LOCAL["base_url"]
    nemu.paths.persona_json.write_text("{ half a file", "utf-8")
    broken = store.get("Nemu")
    assert held(broken).mind.base_url == LOCAL["base_url"]
    assert not broken.asks


def test_a_no_holds_until_something_else_is_asked_for(store: PersonaStore, nemu: Persona) -> None:
    ask(store, {"mind": FOREIGN})
    refused = answer(store, yes=False)
    assert (refused.asks, held(refused).mind.base_url) == (False, "")
    assert ask(store, {"mind": {**FOREIGN, "model": "x"}}).asks
    assert not ask(store, {"mind": FOREIGN}).asks
    assert held(answer(store, yes=True)).mind.base_url == FOREIGN["base_url"]


def test_what_is_set_by_us_counts_at_once_and_lets_nothing_else_through(store: PersonaStore, nemu: Persona) -> None:
    ask(store, {"mind": FOREIGN})
    changed = store.set_settings("Nemu", "sleep", silence=True)
    assert held(changed).sleep.silence
    assert held(changed).mind.base_url == ""
    assert changed.asks
    mine = store.set_settings("Nemu", "mind", **LOCAL)
    assert held(mine).mind.base_url == LOCAL["base_url"]
    assert not mine.asks
    back = store.set_settings("Nemu", "mind", provider=None, base_url=None)
    assert (back.settings, back.asks) == ({"sleep": {"silence": True}}, False)


def test_an_earlier_version_that_comes_back_from_the_history_asks(store: PersonaStore, nemu: Persona) -> None:
    ask(store, {"mind": FOREIGN})
    history_of(store, "Nemu").notice_outside()
    store.set_settings("Nemu", "mind", provider=None, base_url=None)
    history = history_of(store, "Nemu")
    history.undo(history.entries(1)[0].id, author="user")
    assert store.get("Nemu").asks
    assert held(store.get("Nemu")).mind.base_url == ""


def test_every_setting_that_is_not_harmless_asks_and_the_samples_do_not(store: PersonaStore) -> None:
    assert not any(persona.asks for persona in store.install_samples())
    everything = Settings().model_dump()
    names = {f"{section}.{key}" for section, table in everything.items() for key in table}
    asked = {f"{section}.{key}" for section, table in wishes_of(everything).items() for key in table}
    assert asked == names - HARMLESS
    assert names >= HARMLESS
    assert not any(name.startswith(("sleep", "usage", "page")) for name in HARMLESS)


@pytest.mark.parametrize("lang", ["ja", "en"])
def test_it_is_told_in_plain_words_one_sentence_a_setting(lang: str) -> None:
    told = [notice.ja if lang == "ja" else notice.en for notice in in_words(wishes_of(SETTINGS))]
    assert len(told) == 8
    assert sum("Google" in sentence for sentence in told) == 1  # the memories; what is said goes to the address
    assert any("http://127.0.0.1:9" in sentence for sentence in told)
    (google,) = in_words({"mind": {"provider": "gemini"}})
    assert "Google" in (google.ja if lang == "ja" else google.en)
    odd = {"mind": {"model": "a\x1b]52;c;Y\x07b\u202e\nc\ud800" + "x" * 5000, "base_url": {"nested": [1]}}}
    for notice in in_words(odd):
        shown = notice.ja if lang == "ja" else notice.en
        assert shown.isprintable()
        assert len(shown) < 1100
    assert "5,0" in in_words(odd)[0].en  # what is not shown is told of
    (long,) = in_words({"mind": {"model": "x" * 900}})
    assert "x" * 900 in (long.ja if lang == "ja" else long.en)
    gone = in_words({}, wishes_of(SETTINGS))
    assert len(gone) == 8
    assert in_words(SETTINGS, SETTINGS) == []


def test_an_address_is_shown_by_the_server_that_it_leads_to() -> None:
    for address, shown in (
        ("https://api.openai.com:" + "v1-" * 70 + "@evil.example/v1", "https://evil.example/v1"),
        ("https://ann:word@evil.example:8443/v1?x=1", "https://evil.example:8443/v1?x=1"),
        ("https://api.openai.com@evil.example\n/v1", "https://evil.example/v1"),
        ("https://evil.example/@api.openai.com", "https://evil.example/@api.openai.com"),
        ("https://[::1", "https://[::1"),
    ):
        (told,) = in_words({"mind": {"base_url": address}})
        assert (told.en, told.ja) == (f"Where what you say is sent: {shown}", f"話した内容の送り先: {shown}")
