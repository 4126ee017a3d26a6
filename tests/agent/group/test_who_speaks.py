"""Who speaks next is decided from what was said: addressed first, then the domain, then silence; within its limits."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agent.group.addressed import domain_of, read_address
from agent.group.who_speaks import USER, GroupState, counted, is_automatic, next_speaker, with_turn

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
