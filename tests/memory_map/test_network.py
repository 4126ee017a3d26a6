"""The network of entities: who is tied to whom, by which messages, and that it forgets."""

import math
from threading import Thread

import pytest

from managers.memory_map.counts import Tie
from managers.memory_map.forces import settle
from managers.memory_map.ties import EntityNetwork, Network
from tests.memory_map.living import Life


def ties(network: Network) -> set[tuple[str, str, int]]:
    return {(tie.one, tie.other, tie.count) for tie in network.ties}


def three_friends(life: Life) -> None:
    life.say("Mia and Oskar went to Kyoto.")
    life.say("Oskar has a new boat; Mia likes it.")
    life.say("It rained in Kyoto.")
    for name in ("Mia", "Oskar"):
        life.entity(name)
    life.entity("Kyoto", "place")


def test_a_tie_is_as_strong_as_the_messages_that_name_both(life: Life) -> None:
    three_friends(life)
    network = life.network.around()
    assert ties(network) == {("Kyoto", "Mia", 1), ("Kyoto", "Oskar", 1), ("Mia", "Oskar", 2)}
    assert {node.name: node.mentions for node in network.nodes} == {"Mia": 2, "Oskar": 2, "Kyoto": 2}
    told = [passage.text for passage in life.network.passages_between("Mia", "Oskar")]
    assert told == ["Oskar has a new boat; Mia likes it.", "Mia and Oskar went to Kyoto."]


def test_what_is_said_later_ties_too_and_is_found_without_looking_at_all_again(life: Life) -> None:
    three_friends(life)
    life.network.around()
    life.say("Mia called from Kyoto.")
    assert ("Kyoto", "Mia", 2) in ties(life.network.around())
    # Whoever counts from nothing comes to the same.
    life.network.file.remove()
    fresh = EntityNetwork(life.paths, life.recall)
    assert ties(fresh.around()) == ties(life.network.around())


def test_evidence_and_days_tie_as_well(life: Life) -> None:
    said = life.say("She and her brother are on the lake again.")
    life.entity("Mia", evidence=(said.id,))
    life.entity("Oskar", evidence=(said.id,))
    life.entity("Kyoto", "place")
    life.episode(2, "Oskar told of Kyoto.")
    assert ties(life.network.around()) == {("Mia", "Oskar", 1), ("Kyoto", "Oskar", 1)}
    assert [passage.type for passage in life.network.passages_between("Oskar", "Kyoto")] == ["episodic_memory"]


def test_japanese_names_and_honorifics(life: Life) -> None:
    life.say("田中さんと京都の貴船神社に行ったよ。")
    life.say("田中さんはお茶が好き。")
    life.entity("田中さん")
    life.entity("京都", "place")
    assert ties(life.network.around()) == {("京都", "田中さん", 1)}


def test_a_name_within_a_name_is_no_tie_and_names_of_two_words_stand_together(life: Life) -> None:
    life.say("Kiyomizu temple is lovely, said Mia.")
    life.say("The temple of Mia, not of Kiyomizu.")
    life.entity("Kiyomizu temple", "place")
    life.entity("temple", "place")
    life.entity("Mia")
    found = ties(life.network.around())
    assert ("Kiyomizu temple", "Mia", 1) in found
    assert not any({"Kiyomizu temple", "temple"} == {one, other} for one, other, _ in found)


def test_who_is_forgotten_is_gone_at_once_and_comes_back(life: Life) -> None:
    three_friends(life)
    life.network.around()
    card = life.entities.path("Mia")
    kept = card.read_bytes()
    card.unlink()  # before the index has heard of it
    life.recall.catch_up()
    after = life.network.around()
    assert {node.name for node in after.nodes} == {"Oskar", "Kyoto"}
    assert life.network.passages_between("Mia", "Oskar") == []
    with life.network.file.opened() as sheet:
        assert "Mia" not in "\n".join(sheet.connection.iterdump())
    card.write_bytes(kept)
    life.recall.catch_up()
    assert ("Mia", "Oskar", 2) in ties(life.network.around())


def test_a_message_that_is_taken_back_ties_nobody(life: Life) -> None:
    three_friends(life)
    first = life.network.passages_between("Mia", "Oskar")[-1]
    life.log.supersede(first.message_ids[0], None)
    life.recall.catch_up()
    assert ("Mia", "Oskar", 1) in ties(life.network.around())
    assert len(life.network.passages_between("Mia", "Oskar")) == 1


def test_around_one_are_those_tied_to_it(life: Life) -> None:
    three_friends(life)
    life.entity("Lumi", "pet")
    network = life.network.around("Kyoto")
    assert network.centre == "Kyoto"
    assert [node.name for node in network.nodes] == ["Kyoto", "Mia", "Oskar"]
    centre = next(node for node in network.nodes if node.name == "Kyoto")
    assert (centre.x, centre.y) == (0.5, 0.5)
    assert life.network.around("nobody of that name").centre == ""
    assert life.network.ties_of("Lumi") == []


def test_nobody_yet(life: Life) -> None:
    assert life.network.look() == Network()


def test_seats_stay_when_somebody_comes_and_are_the_same_every_time() -> None:
    names = [f"n{number}" for number in range(30)]
    pulls = [(f"n{number}", f"n{(number * 7) % 30}", 1 + number % 4) for number in range(1, 30)]
    first = settle(names, pulls, {}, "")
    assert settle(names, pulls, {}, "") == first
    later = settle([*names, "new"], [*pulls, ("n3", "new", 2)], first, "")
    far = sorted(math.dist(first[name], later[name]) for name in names)
    assert far[len(far) // 2] < 0.12
    assert all(0 <= x <= 1 and 0 <= y <= 1 for x, y in later.values())


def test_the_same_company_sits_as_it_sat(life: Life) -> None:
    three_friends(life)
    before = {node.name: (node.x, node.y) for node in life.network.around().nodes}
    life.network.around("Mia")  # a picture of its own
    life.say("Nothing that names anybody.")
    fresh = EntityNetwork(life.paths, life.recall)
    assert {node.name: (node.x, node.y) for node in fresh.around().nodes} == before


def test_many_are_shown_by_the_strongest_ties(life: Life) -> None:
    names = [f"Amber{number:02d}x" for number in range(90)]
    for name in names:
        life.entities.note(name, "is known", author="dream", mind="built-in")
    for number in range(89):
        text = f"{names[number]} met {names[number + 1]}."
        life.log.append("user", "Emma", text)
        if number < 12:
            life.log.append("user", "Emma", f"Again: {text}")
    life.recall.catch_up()
    network = life.network.around()
    assert network.total == 90
    assert len(network.nodes) == 60
    assert {names[n] for n in range(1, 12)} <= {node.name for node in network.nodes}
    shown = {node.name for node in network.nodes}
    assert all({tie.one, tie.other} <= shown for tie in network.ties)
    assert len(life.network.all_ties()) == 89
    assert life.network.all_ties()[0] == Tie(names[0], names[1], 2)


def test_nobody_who_opens_the_network_waits_for_the_map_to_be_drawn(life: Life) -> None:
    three_friends(life)
    life.atlas()
    with life.map.file.opened(to_write=True):  # as while it is drawn: seconds, over years of memories
        seen: list[Network] = []
        opening = Thread(target=lambda: seen.append(life.network.around()))
        opening.start()
        opening.join(60)
        assert len(seen) == 1
    assert ("Mia", "Oskar", 2) in ties(seen[0])


def test_opening_again_writes_nothing(life: Life) -> None:
    three_friends(life)
    first = life.network.around()
    fresh = EntityNetwork(life.paths, life.recall)
    with life.network.file.opened(to_write=True):  # whoever wanted to write would wait
        assert fresh.around() == first
        assert life.network.around() == first


@pytest.mark.parametrize("harm", ["gone", "broken", "other version", "edited by hand", "an index made anew"])
def test_what_is_kept_is_only_a_help(life: Life, harm: str) -> None:
    three_friends(life)
    before = ties(life.network.around())
    file = life.network.file
    if harm == "gone":
        file.remove()
    elif harm == "broken":
        file.remove()
        file.path.write_bytes(b"no database at all" * 100)
    elif harm == "other version":
        with file.opened(to_write=True) as sheet:
            sheet.note(mentioned="0 " + sheet.text("mentioned").partition(" ")[2])
            sheet.connection.execute("UPDATE mentions SET codes = x''")
    elif harm == "edited by hand":
        life.entities.path("Oskar").unlink()
        life.recall.catch_up()
        before = {tie for tie in before if "Oskar" not in tie[:2]}
    else:
        life.recall.rebuild()
    networks = [EntityNetwork(life.paths, life.recall)]
    if harm not in {"broken", "other version"}:  # that is for the next start to find
        networks.insert(0, life.network)
    for network in networks:
        assert ties(network.around()) == before
        assert len(network.passages_between("Mia", "Oskar")) == (0 if harm == "edited by hand" else 2)


def test_two_processes_open_it_at_once(life: Life) -> None:
    three_friends(life)
    found: list[Network] = []
    opening = [Thread(target=lambda: found.append(EntityNetwork(life.paths, life.recall).around())) for _ in range(4)]
    for thread in opening:
        thread.start()
    for thread in opening:
        thread.join(30)
    assert [ties(network) for network in found] == [ties(life.network.around())] * 4
