"""The network of entities: who is tied to whom, by which messages, and that it forgets."""

import math

from managers.memory_map.forces import settle
from managers.memory_map.ties import EntityNetwork, Network
from tests.memory_map.living import Life


def ties(network: Network) -> set[tuple[str, str, int]]:
    return {(tie.one, tie.other, tie.count) for tie in network.ties}


def seats(network: Network) -> dict[str, tuple[float, float]]:
    return {node.name: (node.x, node.y) for node in network.nodes}


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


def test_what_is_kept_is_only_a_help(life: Life) -> None:
    three_friends(life)
    before = ties(life.network.around())
    life.recall.rebuild()
    assert ties(life.network.around()) == before
    life.network.file.remove()
    life.network.file.path.write_bytes(b"no database at all" * 100)
    after = EntityNetwork(life.paths, life.recall)
    assert ties(after.around()) == before
    assert len(after.passages_between("Mia", "Oskar")) == 2
