"""The network of entities: who is tied to whom, by which messages, and that it forgets."""

import math
from collections.abc import Iterable
from itertools import pairwise
from threading import Thread

import pytest

from managers.memory_map.counts import Tie
from managers.memory_map.forces import settle
from managers.memory_map.ties import EntityNetwork, Network
from tests.memory_map.living import Life
from tests.speeds import one_quick


def ties(network: Network) -> set[tuple[str, str, int]]:
    return {(tie.one, tie.other, tie.count) for tie in network.ties}


def seats(network: Network) -> dict[str, tuple[float, float]]:
    return {node.name: (node.x, node.y) for node in network.nodes}


def together(threads: Iterable[Thread]) -> None:
    started = list(threads)
    for thread in started:
        thread.start()
    for thread in started:
        thread.join()


def three_friends(life: Life) -> None:
    life.say("Mia and Oskar went to Kyoto.")
    life.say("Oskar has a new boat; Mia likes it.")
    life.say("It rained in Kyoto.")
    for name in ("Mia", "Oskar"):
        life.entity(name)
    life.entity("Kyoto", "place")


def test_a_tie_is_as_strong_as_the_messages_that_name_both(life: Life) -> None:
    assert life.network.look() == Network()
    three_friends(life)
    network = life.network.around()
    assert ties(network) == {("Kyoto", "Mia", 1), ("Kyoto", "Oskar", 1), ("Mia", "Oskar", 2)}
    assert {node.name: node.mentions for node in network.nodes} == {"Mia": 2, "Oskar": 2, "Kyoto": 2}
    between = life.network.passages_between("Mia", "Oskar")
    assert [one.text for one in between] == ["Oskar has a new boat; Mia likes it.", "Mia and Oskar went to Kyoto."]
    life.say("Mia called from Kyoto.")
    assert ("Kyoto", "Mia", 2) in ties(life.network.around())
    life.log.supersede(between[-1].message_ids[0], None)  # a message that is taken back ties nobody
    life.recall.catch_up()
    assert ties(life.network.around()) == {("Kyoto", "Mia", 1), ("Mia", "Oskar", 1)}
    assert len(life.network.passages_between("Mia", "Oskar")) == 1
    life.network.file.remove()  # whoever counts from nothing comes to the same
    assert ties(EntityNetwork(life.paths, life.recall).around()) == ties(life.network.around())


def test_evidence_and_days_tie_as_well(life: Life) -> None:
    said = life.say("She and her brother are on the lake again.")
    life.entity("Mia", evidence=(said.id,))
    life.entity("Oskar", evidence=(said.id,))
    life.entity("Kyoto", "place")
    life.episode(2, "Oskar told of Kyoto.")
    assert ties(life.network.around()) == {("Mia", "Oskar", 1), ("Kyoto", "Oskar", 1)}
    assert [passage.type for passage in life.network.passages_between("Oskar", "Kyoto")] == ["episodic_memory"]


def test_japanese_names_honorifics_and_names_of_two_words_are_read_whole(life: Life) -> None:
    for text in (
        "田中さんと京都の貴船神社に行ったよ。",
        "田中さんはお茶が好き。",
        "Kiyomizu temple is lovely, said Mia.",
        "The temple of Mia, not of Kiyomizu.",
    ):
        life.say(text)
    for name in ("田中さん", "Mia"):
        life.entity(name)
    for name in ("京都", "Kiyomizu temple", "temple"):
        life.entity(name, "place")
    # A name within a name is no tie.
    assert ties(life.network.around()) == {("京都", "田中さん", 1), ("Kiyomizu temple", "Mia", 1), ("Mia", "temple", 2)}


def test_who_is_forgotten_is_gone_at_once_and_comes_back(life: Life) -> None:
    three_friends(life)
    life.network.around()
    card = life.entities.path("Mia")
    kept = card.read_bytes()
    card.unlink()  # before the index has heard of it
    life.recall.catch_up()
    assert seats(life.network.around()).keys() == {"Oskar", "Kyoto"}
    assert life.network.passages_between("Mia", "Oskar") == []
    assert "Mia" not in life.dumped()
    card.write_bytes(kept)
    life.recall.catch_up()
    assert ("Mia", "Oskar", 2) in ties(life.network.around())


def test_around_one_are_those_tied_to_it(life: Life) -> None:
    three_friends(life)
    life.entity("Lumi", "pet")
    network = life.network.around("Kyoto")
    assert network.centre == "Kyoto"
    assert [node.name for node in network.nodes] == ["Kyoto", "Mia", "Oskar"]
    assert seats(network)["Kyoto"] == (0.5, 0.5)
    assert life.network.around("nobody of that name").centre == ""
    assert life.network.ties_of("Lumi") == []


def test_seats_stay_when_somebody_comes_and_are_the_same_every_time() -> None:
    names = [f"n{number}" for number in range(30)]
    pulls = [(f"n{number}", f"n{(number * 7) % 30}", 1 + number % 4) for number in range(1, 30)]
    first = settle(names, pulls, {}, "")
    assert settle(names, pulls, {}, "") == first
    later = settle([*names, "new"], [*pulls, ("n3", "new", 2)], first, "")
    far = sorted(math.dist(first[name], later[name]) for name in names)
    assert far[len(far) // 2] < 0.12
    assert all(0 <= x <= 1 and 0 <= y <= 1 for x, y in later.values())


def test_many_are_shown_by_the_strongest_ties(life: Life) -> None:
    names = [f"Amber{number:02d}x" for number in range(90)]
    for name in names:
        life.entities.note(name, "is known", author="dream", mind="built-in")
    for number, (one, other) in enumerate(pairwise(names)):
        for _ in range(2 if number < 12 else 1):
            life.log.append("user", "Emma", f"{one} met {other}.")
    life.recall.catch_up()
    network = life.network.around()
    assert network.total == 90
    assert len(network.nodes) == 60
    shown = seats(network).keys()
    assert set(names[1:12]) <= shown
    assert all({tie.one, tie.other} <= shown for tie in network.ties)
    assert len(life.network.all_ties()) == 89
    assert life.network.all_ties()[0] == Tie(names[0], names[1], 2)


def test_nobody_who_opens_the_network_waits_or_writes_and_the_same_company_sits_as_it_sat(life: Life) -> None:
    three_friends(life)
    life.atlas()
    found: list[Network] = []

    def look() -> None:
        found.append(EntityNetwork(life.paths, life.recall).around())

    with life.map.file.opened(to_write=True):  # as while the map is drawn: seconds, over years of memories
        together([Thread(target=lambda: found.append(life.network.around()))])
    life.network.around("Mia")  # a picture of its own
    life.say("Nothing that names anybody.")
    life.network.around()
    with life.network.file.opened(to_write=True):  # whoever wanted to write would wait
        look()
        found.append(life.network.around())
    together(Thread(target=look) for _ in range(4))
    assert len(found) == 7
    for network in found:
        assert (ties(network), seats(network)) == (ties(found[0]), seats(found[0]))
    assert ("Mia", "Oskar", 2) in ties(found[0])


@pytest.mark.parametrize("harm", one_quick(["other version", "broken", "gone", "an index made anew"], quick=2))
def test_what_is_kept_is_only_a_help(life: Life, harm: str) -> None:
    three_friends(life)
    before = ties(life.network.around())
    file = life.network.file
    if harm in ("gone", "broken"):
        file.remove()
        if harm == "broken":
            file.path.write_bytes(b"no database at all" * 100)
    elif harm == "other version":
        with file.opened(to_write=True) as sheet:
            sheet.note(mentioned="0 " + sheet.text("mentioned").partition(" ")[2])
            sheet.connection.execute("UPDATE mentions SET codes = x''")
    else:
        life.recall.rebuild()
    networks = [EntityNetwork(life.paths, life.recall)]
    if harm not in {"broken", "other version"}:  # that is for the next start to find
        networks.insert(0, life.network)
    for network in networks:
        assert ties(network.around()) == before
        assert len(network.passages_between("Mia", "Oskar")) == 2
