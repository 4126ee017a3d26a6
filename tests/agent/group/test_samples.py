"""The three samples for conversations of several: there when they are named, and not before; each with a voice of its own."""

import json
from random import Random

import pytest

from agent.services import open_services
from benchmarks.group import converse, leaks
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


SAID: dict[Lang, tuple[str, str, str, str]] = {
    "en": (
        *("Hello everyone, I saw a film about Napoleon.", "Nox, any gossip?", "My grandmother died on Sunday."),
        "Claris, what did people use for a fridge in the Edo period?",
    ),
    "ja": (
        *("みんな、こんにちは。昨日、映画の噂を聞いた。", "ノクス、最近の噂は？", "日曜日に祖母が亡くなった。"),
        "クラリス、江戸時代の冷蔵庫って何だったの？",
    ),
}
OWNED: dict[Lang, tuple[str, ...]] = {"en": ("don't", "no ", "not "), "ja": ("ません", "覚えて", "知ら")}


@pytest.mark.slow
@pytest.mark.parametrize("lang", SAID)
def test_built_in_minds_speak_one_s_language_of_their_own_and_own_up_to_not_knowing(table: Table, lang: Lang) -> None:
    talk = table.services.groups.of(FOR_GROUPS, lang)
    hello, asked, grief, unknown = SAID[lang]
    answers = table.round(talk, hello)
    for who, text in answers:
        assert any("\u3040" <= char <= "\u30ff" for char in text) == (lang == "ja"), (who, text)
    spoken = [one for _, text in answers for one in sentences(text)]
    assert len(spoken) == len(set(spoken)), "no sentence is said twice to one message"
    ((who, text),) = table.round(talk, asked)
    assert who == "Nox"
    assert any(text.endswith(remark) for remark in settings_of("Nox").remarks[lang])
    ((who, text),) = table.round(talk, unknown)
    assert who == "Claris"
    assert text not in settings_of("Claris").remarks[lang]
    assert any(one in text for one in OWNED[lang]), text
    remarks = {one for name in FOR_GROUPS for one in settings_of(name).remarks[lang]}
    for _, text in table.round(talk, grief):
        assert not any(one in text for one in remarks)


@pytest.mark.slow
def test_a_conversation_of_forty_turns(table: Table) -> None:
    course = converse(table.services, table.clock, Random(5), 40)
    assert course.late == []
    assert course.silent == []
    assert course.in_a_row <= 2
    assert 1 <= course.automatic <= 3
    whole = sum(course.spoken.values())
    assert {name: course.spoken[name] / whole > 0.15 for name in FOR_GROUPS} == dict.fromkeys(FOR_GROUPS, True)
    assert {len(told) for told in course.secrets.values()} == {1, 2}, "told to one alone, and to all but one"
    leaked, found = leaks(table.services, table.clock, course)
    assert leaked == []
    assert found, "whoever was told finds it"
