"""The three samples for conversations of several: there when they are named, and not before; each with a voice of its own."""

import json
from pathlib import Path
from random import Random

import pytest
from PIL import Image

from agent.group.addressed import domain_of
from agent.services import open_services
from managers.language.words import sentences
from managers.personas.errors import PersonaNotFoundError
from managers.personas.samples import FOR_GROUPS
from managers.storage.errors import Lang
from managers.storage.paths import CHECKOUT, Home
from managers.storage.settings import GroupSettings
from tests.agent.group.conftest import Table
from tests.fakes import HandClock

SAMPLES = CHECKOUT / "characters"


def settings_of(name: str) -> GroupSettings:
    document = json.loads((SAMPLES / name / "persona.json").read_text("utf-8"))
    return GroupSettings.model_validate(document["settings"]["group"])


def test_nobody_sees_them_who_does_not_use_them(own_home: Home, clock: HandClock) -> None:
    services = open_services(own_home, clock, Random(3))
    assert set(services.personas.list_names()) == {"Hazel", "ねむ"}
    services.groups.of(["Lumina", "Nox"], "en")
    assert set(services.personas.list_names()) == {"Hazel", "ねむ", "Lumina", "Nox"}
    assert services.personas.get("Lumina").language == "en"
    with services.away("Lumina"):
        services.personas.delete("Lumina")
    with pytest.raises(PersonaNotFoundError):
        services.groups.of(["Lumina", "Nox"], "en")
    services.close()
    again = open_services(own_home, clock, Random(4))
    assert "Lumina" not in again.personas.list_names(), "who was deleted stays away"
    again.close()


@pytest.mark.parametrize("name", FOR_GROUPS)
def test_each_has_all_that_makes_a_character(name: str) -> None:
    folder: Path = SAMPLES / name
    with Image.open(folder / "avatar.png") as picture:
        assert picture.size == (256, 256)
    own = settings_of(name)
    assert own.domain
    assert own.names
    for lang in ("ja", "en"):
        remarks = own.remarks[lang]
        assert len(remarks) >= 8
        assert len(set(remarks)) == len(remarks)
    prompt = (folder / "SystemPrompt.txt").read_text("utf-8")
    assert "一人称は" in prompt
    assert "# In English" in prompt


@pytest.mark.parametrize(
    ("text", "owner"),
    [
        ("I saw a wonderful film last night", "Lumina"),
        ("昨日の映画、字幕が小さくて", "Lumina"),
        ("Who was the first emperor of the Han dynasty?", "Claris"),
        ("江戸の暮らしについて知りたい", "Claris"),
        ("What is trendy these days? Any gossip?", "Nox"),
        ("最近の流行りってなに？", "Nox"),
    ],
)
def test_their_domains_do_not_mix(text: str, owner: str) -> None:
    assert domain_of(text, {name: settings_of(name).domain_keywords for name in FOR_GROUPS})[0] == owner


def test_no_sentence_is_said_twice_to_one_message(table: Table) -> None:
    talk = table.services.groups.of(FOR_GROUPS, "en")
    for text in (
        "Hello, I saw a film about Napoleon.",
        "I heard some gossip about a film star.",
        "昨日、映画の噂を聞いた。",
    ):
        said = [one for _, answer in table.round(talk, text) for one in sentences(answer)]
        assert len(said) == len(set(said)), text


@pytest.mark.parametrize(
    ("lang", "hello", "asked"),
    [("en", "Hello everyone.", "Nox, any gossip?"), ("ja", "みんな、こんにちは。", "ノクス、最近の噂は？")],
)
def test_with_built_in_minds_they_speak_the_user_s_language_and_of_their_own(
    table: Table, lang: Lang, hello: str, asked: str
) -> None:
    talk = table.services.groups.of(FOR_GROUPS, lang)
    for who, text in table.round(talk, hello):
        assert any("\u3040" <= char <= "\u30ff" for char in text) == (lang == "ja"), (who, text)
    ((who, text),) = table.round(talk, asked)
    assert who == "Nox"
    assert any(text.endswith(remark) for remark in settings_of("Nox").remarks[lang])


@pytest.mark.parametrize(
    ("lang", "asked", "owned"),
    [
        ("ja", "クラリス、江戸時代の冷蔵庫って何だったの？", ("ません", "覚えて", "知ら")),
        ("en", "Claris, what did people use for a fridge in the Edo period?", ("don't", "no ", "not ")),
    ],
)
def test_what_is_not_known_is_said_before_a_word_on_one_s_own_domain(
    table: Table, lang: Lang, asked: str, owned: tuple[str, ...]
) -> None:
    ((who, text),) = table.round(table.services.groups.of(FOR_GROUPS, lang), asked)
    assert who == "Claris"
    assert text not in settings_of("Claris").remarks[lang]
    assert any(one in text for one in owned), text


def test_grief_is_no_moment_for_anybody_s_subject(table: Table) -> None:
    remarks = {one for name in FOR_GROUPS for one in settings_of(name).remarks["en"]}
    for _, text in table.round(table.services.groups.of(FOR_GROUPS, "en"), "My grandmother died on Sunday."):
        assert not any(one in text for one in remarks)
