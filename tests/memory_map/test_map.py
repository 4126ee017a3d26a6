"""The map: what lies on it, how it stays the same, what leaves it at once; the network of who is tied to whom, which forgets too."""

import math
from collections import defaultdict

import numpy as np

from managers.memory_map.atlas import Atlas, MemoryMap
from managers.memory_map.forces import settle
from managers.memory_map.scene import Scope, scene_of
from managers.memory_map.sheet import Placed
from managers.memory_map.ties import EntityNetwork, Network
from tests.memory_map.living import TOPICS, Life

Spot = tuple[float, float]


def spots(atlas: Atlas) -> dict[str, Spot]:
    return {piece.key: (piece.x, piece.y) for piece in atlas.pieces}


def moved(one: Atlas, other: Atlas) -> float:
    """How far what is on both maps has moved, on the whole; the map is one wide."""
    before, after = spots(one), spots(other)
    return float(np.median([math.dist(before[key], after[key]) for key in before.keys() & after.keys()]))


def looked(drawn: MemoryMap) -> Atlas:
    atlas = drawn.look()
    assert atlas is not None
    return atlas


def test_every_evening_is_a_point_that_opens_its_messages_and_is_cut_where_its_topic_changes(life: Life) -> None:
    assert looked(life.map).pieces == []
    said = life.talk(20)
    atlas = life.atlas()
    assert [piece.kind for piece in atlas.pieces] == ["talk"] * 20
    opened = [one for piece in atlas.pieces for told in life.map.members_of(piece.key) for one in told.message_ids]
    assert sorted(opened) == sorted(message.id for message in said)
    changes = []
    for topic in ("sailing", "baking"):
        sentences = [f"The {word} of {topic}, of {topic} and {topic}." for word in TOPICS[topic].split() * 2]
        said = [life.say(text) for text in sentences]
        changes.append(said[0].id)
        life.clock.move(minutes=10)
    begins = {passage.message_ids[0] for piece in life.atlas().pieces for passage in life.map.members_of(piece.key)[:1]}
    assert begins >= {*changes}


def test_what_is_alike_lies_together_and_regions_are_named_by_its_words(life: Life) -> None:
    life.talk(80)
    atlas = life.atlas()
    first_day = min(piece.day for piece in atlas.pieces)
    by_topic: defaultdict[int, list[Spot]] = defaultdict(list)
    for piece in atlas.pieces:
        by_topic[(piece.day - first_day) % 4].append((piece.x, piece.y))
    within: list[float] = []
    between: list[float] = []
    for topic, some in by_topic.items():
        for other, others in by_topic.items():
            far = [math.dist(a, b) for a in some[:10] for b in others[:10] if a is not b]
            (within if topic == other else between).append(float(np.mean(far)))
    assert max(within) < min(between)
    names = {word.surface for words in atlas.names["region"].values() for word in words}
    vocabulary = {word for words in TOPICS.values() for word in words.split()}
    assert names
    # Singular or plural, as they were written; never a word that is everywhere.
    assert all(any(name in word or word in name for word in vocabulary) for name in names)


def test_tomorrows_map_looks_like_todays(life: Life) -> None:
    life.talk(60)
    before = life.atlas()
    life.talk(4, first=60)
    assert moved(before, life.atlas()) == 0
    life.talk(40, first=64)  # so much that the map is fitted anew
    after = life.atlas()
    assert len(after.pieces) == 104
    assert moved(before, after) < 0.2
    regions = [{piece.key: int(atlas.regions[piece.anchor]) for piece in atlas.pieces} for atlas in (before, after)]
    assert sum(regions[1][key] == region for key, region in regions[0].items()) >= 0.6 * len(before.pieces)


def test_it_is_the_same_for_the_same_memories_whoever_draws_it_and_whatever_its_file_is(life: Life) -> None:
    life.talk(30)
    before = life.atlas()
    life.map.close()
    life.map.file.remove()
    life.map.file.path.write_bytes(b"this is no database, and never was one" * 100)
    again = MemoryMap(life.paths, life.recall)
    again.look()
    again.wait()
    drawn = looked(again)
    assert (spots(drawn), drawn.names) == (spots(before), before.names)
    again.close()


def test_what_is_forgotten_leaves_at_once_with_its_words(life: Life) -> None:
    life.talk(24)
    days = [life.episode(3, "Quetzalcoatl was painted, and Quetzalcoatl again."), life.episode(4, "Quetzalcoatl hung.")]
    atlas = life.atlas()
    key = days[0].relative_to(life.paths.folder).as_posix()
    assert key in spots(atlas)
    for path in days:
        path.unlink()
    faces = [piece.face for piece in atlas.pieces]
    assert len(life.map.read(faces)) == len(faces) - 2  # not even before the index has heard of it
    life.recall.catch_up()
    assert key not in spots(looked(life.map))
    dumped = life.dumped()
    assert "quetzalcoatl" not in dumped.lower()
    assert days[1].name not in dumped


def test_the_night_forgets_though_nobody_looks(life: Life) -> None:
    life.talk(12)
    life.map.tidy()
    assert not life.map.file.path.exists()  # whoever never looks has no map to be kept
    life.entity("Mia")
    life.entity("Oskar")
    life.atlas()
    life.network.around()
    life.entities.delete("Mia", author="user", reason="forgotten")
    life.recall.catch_up()
    life.map.tidy()
    life.network.tidy()
    life.network.wait()
    assert "Mia" not in life.dumped()
    assert "Oskar" in life.dumped()


def test_one_more_message_joins_its_evening_and_days_that_move_to_the_archives_stay_where_they_are(life: Life) -> None:
    life.talk(12)
    life.say("The lighthouse and the harbour tonight.")
    before = life.atlas()
    life.say("And the anchor, and the tide, in the harbour.")
    after = looked(life.map)
    assert len(after.pieces) == len(before.pieces)
    assert max(after.pieces, key=lambda piece: piece.day).count == 2
    life.clock.move(days=9)
    life.log.roll()
    life.recall.catch_up()
    archived = looked(life.map)
    assert spots(archived).keys() == spots(after).keys()
    assert moved(after, archived) < 1e-4
    assert len(life.map.members_of(archived.pieces[-1].key)) > 0


def test_the_secret_diary_and_documents_are_not_on_it(life: Life) -> None:
    life.talk(10)
    for path, text in {
        life.paths.secret_diary: "Nobody knows of the zeppelin.\n",
        life.paths.main_memory: "# 2026-03-04\nThe orchard was lovely.\n",
        life.paths.knowledge / "manual.txt": "How to steer a zeppelin.\n",
    }.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    life.recall.catch_up()
    told = " ".join(one.text for one in life.map.read(piece.face for piece in life.atlas().pieces).values())
    assert "orchard" in told
    assert "zeppelin" not in told


def many(count: int, anchors: int = 20) -> Atlas:
    pieces = [
        Placed(f"talk m{n}", "talk" if n % 3 else "episode", 730_000 + n // 4, 5, 2 * n, n % anchors, n / count, 0.5)
        for n in range(count)
    ]
    labels = np.arange(anchors)
    return Atlas(pieces, labels % 4, labels % 10, {"region": {}, "quarter": {}})


def test_dots_stand_for_all_that_is_not_drawn_and_who_comes_closer_sees_more() -> None:
    atlas = many(5000)
    scene = scene_of(atlas, Scope(), 300)
    assert 250 <= len(scene.dots) <= 360
    stood_for = [piece.key for dot in scene.dots for piece in dot.stands_for]
    assert sorted(stood_for) == sorted(piece.key for piece in atlas.pieces)
    assert all(piece.kind == dot.piece.kind for dot in scene.dots for piece in dot.stands_for)
    assert scene.newest == max(atlas.pieces, key=lambda piece: (piece.day, piece.kind == "talk", piece.key)).key
    drawn = {dot.piece.key for dot in scene.dots}
    assert scene.newest in drawn
    later = {dot.piece.key for dot in scene_of(many(5020), Scope(), 300).dots}
    assert len(drawn & later) >= 0.95 * len(drawn), "the sample stays when a little is added"
    region, quarter = scene_of(atlas, Scope(1), 300), scene_of(atlas, Scope(1, 1), 300)
    assert {place.number for place in region.places} == {1, 3, 5, 7, 9}
    assert (region.total, quarter.total) == (1250, 500)
    each, closer = (np.mean([len(dot.stands_for) for dot in one.dots]) for one in (scene, quarter))
    assert closer < each / 4
    little = scene_of(many(120), Scope(), 300)
    assert [len(dot.stands_for) for dot in little.dots] == [1] * 120


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
        "田中さんと京都の貴船神社に行ったよ。", "田中さんはお茶が好き。", "Kiyomizu temple is lovely, said Mia.",
        "The temple of Mia, not of Kiyomizu."
    ):  # fmt: skip
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
