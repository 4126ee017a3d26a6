"""The map: what lies on it, how it stays the same, what leaves it at once, and what a dot stands for."""

import math
from collections import defaultdict

import numpy as np

from managers.memory_map.atlas import Atlas, MemoryMap
from managers.memory_map.scene import Scope, scene_of
from managers.memory_map.sheet import Placed
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
