"""Who speaks next is decided from what was said; and the three samples for conversations of several, each with a voice of its own."""

import json
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.group.addressed import domain_of, read_address
from agent.group.who_speaks import USER, GroupState, counted, is_automatic, next_speaker, with_turn
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

NAMES = {"Lumina": ["Lumina", "ルミナ"], "Claris": ["Claris", "クラリス"], "Nox": ["Nox", "ノクス"]}


def state(**known: Any) -> GroupState:
    lists: dict[str, list[str]] = {k: [] for k in ("turns", "targets", "only", "owners", "called", "spoken", "failed")}
    start = {"thread_id": 1, "domain": "", "auto_prompt": 0, "quiet": False, "present": list(NAMES), **lists}
    return {"ct": dict.fromkeys(NAMES, 0), **start, **known}  # type: ignore[typeddict-item]  # the test names the fields


ADDRESSED: list[tuple[str, list[str], list[str] | None]] = [
    ("only Claris, please: what did I see?", ["Claris"], ["Claris"]),
    ("I'd like to hear only from Claris.", ["Claris"], ["Claris"]),
    ("クラリスだけにして、何を見たか教えて", ["Claris"], ["Claris"]),
    ("I talked to only Claris yesterday.", [], None),
    ("not you, Nox", [], ["Lumina", "Claris"]),
    ("Nox, be quiet please. Claris, go on.", ["Claris"], ["Lumina", "Claris"]),
    ("ノクスは黙ってて", [], ["Lumina", "Claris"]),
    ("Everyone except Nox, what do you think?", ["Lumina", "Claris"], ["Lumina", "Claris"]),
    ("Nox以外のみんな、どう思う？", ["Lumina", "Claris"], ["Lumina", "Claris"]),
    ("Everyone may talk again.", [], []),
    ("もうみんな話していいよ。ノクス、どう思う？", ["Nox"], []),
    ("Claris, what do you think?", ["Claris"], None),
    ("ノクス、ルミナ、どっちがいい？", ["Nox", "Lumina"], None),
    ("@Nox hello", ["Nox"], None),
    ("みんな、どう思う？", ["Lumina", "Claris", "Nox"], None),
    ("I told Nox about it yesterday.", [], None),
    ("昨日ノクスと話した。", [], None),
    ("It rained.", [], None),
]


def test_whom_a_message_addresses() -> None:
    amiss = []
    for text, targets, only in ADDRESSED:
        found = read_address(text, NAMES)
        if ([*found.targets], found.only if found.only is None else [*found.only]) != (targets, only):
            amiss.append((text, found))
    assert amiss == []


def test_whose_domain_it_is_about() -> None:
    words = {"Lumina": ["film", "映画"], "Claris": ["history", "Napoleon"], "Nox": ["gossip"]}
    assert domain_of("A film about Napoleon and the history of France", words)[0] == "Claris"
    assert domain_of("昨日、映画を見た", words) == ("Lumina",)
    assert domain_of("It rained", words) == ()


def test_the_addressed_answer_in_their_order_else_the_owner_of_the_domain_then_the_one_silent_longest() -> None:
    now = state(targets=["Nox", "Lumina"], owners=["Claris"])
    assert next_speaker(now, 2, 3) == "Nox"
    assert next_speaker(state(**{**now, "spoken": ["Nox"]}), 2, 3) == "Lumina"
    assert next_speaker(state(**{**now, "spoken": ["Nox", "Lumina"]}), 2, 3) == ""
    turns = [{"speaker": "Lumina", "msg": ""}, {"speaker": "Nox", "msg": ""}, {"speaker": USER, "msg": ""}]
    assert next_speaker(state(owners=["Nox"], turns=turns), 2, 3) == "Nox"
    assert next_speaker(state(turns=turns), 2, 3) == "Claris"
    assert next_speaker(state(turns=turns, spoken=["Claris"]), 2, 3) == "Lumina"
    assert next_speaker(state(turns=turns, spoken=["Claris", "Lumina"]), 2, 3) == ""


def test_a_wish_for_one_alone_a_grave_message_and_a_failure_are_minded() -> None:
    assert next_speaker(state(only=["Claris"], owners=["Nox"]), 2, 3) == "Claris"
    assert next_speaker(state(only=["Claris"], spoken=["Claris"], called=["Nox"]), 2, 3) == ""
    assert next_speaker(state(quiet=True, spoken=["Nox"], called=["Claris"]), 2, 3) == ""
    assert next_speaker(state(failed=["Lumina", "Claris"]), 2, 3) == "Nox"
    assert next_speaker(state(failed=list(NAMES)), 2, 3) == ""


NAME = st.sampled_from(list(NAMES))


@given(
    targets=st.lists(NAME, unique=True, max_size=3),
    owners=st.lists(NAME, unique=True, max_size=3),
    calls=st.lists(st.lists(NAME, unique=True, max_size=2), min_size=12, max_size=12),
    max_ct=st.integers(1, 3),
    most=st.integers(0, 5),
)
def test_whatever_the_personas_call_each_other_the_limits_hold(
    targets: list[str], owners: list[str], calls: list[list[str]], max_ct: int, most: int
) -> None:
    now, automatic, spoken = state(targets=targets, owners=owners), 0, list[str]()
    for called in calls:
        now["next"] = next_speaker(now, max_ct, most)
        if not now["next"]:
            break
        automatic += is_automatic(now)
        now["auto_prompt"] = automatic
        now["turns"], now["ct"] = with_turn(now, now["next"], "words")
        spoken = now["spoken"] = [*spoken, now["next"]]
        now["called"] = called
        assert max(now["ct"].values()) <= max_ct
        assert now["ct"] == counted([one["speaker"] for one in now["turns"]], list(NAMES))
    assert automatic <= most
    assert spoken[: len(targets)] == targets
    assert spoken
    assert now["next"] == ""


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
