"""The map: what lies on it, how it stays the same, what leaves it at once, and what a dot stands for."""

import math
import sqlite3

import numpy as np
import pytest

from managers.memory_map.atlas import Atlas, MemoryMap
from managers.memory_map.scene import Scope, scene_of
from managers.memory_map.sheet import Placed
from tests.memory_map.living import TOPICS, Life


def spots(atlas: Atlas) -> dict[str, tuple[float, float]]:
    return {piece.key: (piece.x, piece.y) for piece in atlas.pieces}


def moved(one: Atlas, other: Atlas) -> float:
    """How far what is on both maps has moved, on the whole; the map is one wide."""
    before, after = spots(one), spots(other)
    return float(np.median([math.dist(before[key], after[key]) for key in before.keys() & after.keys()]))


def test_every_evening_is_a_point_and_opens_its_messages(life: Life) -> None:
    said = life.talk(20)
    atlas = life.atlas()
    assert {piece.kind for piece in atlas.pieces} == {"talk"}
    assert len(atlas.pieces) == 20
    opened = [
        one for piece in atlas.pieces for passage in life.map.members_of(piece.key) for one in passage.message_ids
    ]
    assert sorted(opened) == sorted(message.id for message in said)


def test_a_long_evening_is_cut_where_its_topic_changes(life: Life) -> None:
    first = [
        life.say(f"The {word} of the sailboat in the harbour, the mast and the tide.")
        for word in TOPICS["sailing"].split() * 2
    ]
    life.clock.move(minutes=10)
    for word in TOPICS["baking"].split() * 2:
        life.say(f"The {word} of the sourdough in the oven, the yeast and the flour.")
    pieces = life.atlas().pieces
    begins = {passage.message_ids[0] for piece in pieces for passage in life.map.members_of(piece.key)[:1]}
    assert len(pieces) >= 2
    after_the_change = life.log.tail(14)[0].id
    assert after_the_change in begins
    assert first[0].id in begins


def test_what_is_alike_lies_together_and_regions_are_named_by_its_words(life: Life) -> None:
    life.talk(80)
    atlas = life.atlas()
    by_topic: dict[int, list[Placed]] = {}
    for piece in atlas.pieces:
        by_topic.setdefault((piece.day - min(one.day for one in atlas.pieces)) % 4, []).append(piece)
    within: list[float] = []
    between: list[float] = []
    for topic, some in by_topic.items():
        for other, others in by_topic.items():
            far = [math.dist((a.x, a.y), (b.x, b.y)) for a in some[:10] for b in others[:10] if a is not b]
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
    after_a_little = life.atlas()
    assert moved(before, after_a_little) == 0
    life.talk(40, first=64)  # so much that the map is fitted anew
    after_much = life.atlas()
    assert len(after_much.pieces) == 104
    assert moved(before, after_much) < 0.2
    regions = [
        int(atlas.regions[piece.anchor])
        for atlas in (before, after_much)
        for piece in sorted(atlas.pieces, key=lambda piece: piece.key)
        if piece.key in spots(before)
    ]
    half = len(regions) // 2
    same = sum(a == b for a, b in zip(regions[:half], regions[half:], strict=True))
    assert same >= 0.6 * half


def test_it_is_the_same_for_the_same_memories(life: Life) -> None:
    life.talk(30)
    before = life.atlas()
    life.map.file.remove()
    again = MemoryMap(life.paths, life.recall)
    again.redraw()
    drawn = again.look()
    assert drawn is not None
    assert spots(drawn) == spots(before)
    assert drawn.names == before.names


def test_an_index_made_anew_moves_nothing_far(life: Life) -> None:
    life.talk(40)
    before = life.atlas()
    life.recall.rebuild()
    assert life.map.look() is None  # all numbers are others now: drawn in the background
    life.map.wait()
    after = life.atlas()
    assert spots(after).keys() == spots(before).keys()
    assert moved(before, after) < 0.15


def test_what_is_forgotten_leaves_at_once_with_its_words(life: Life) -> None:
    life.talk(24)
    day = life.episode(3, "Quetzalcoatl was painted, and Quetzalcoatl again.")
    life.episode(4, "The Quetzalcoatl was hung up in the hall.")
    atlas = life.atlas()
    key = day.relative_to(life.paths.folder).as_posix()
    assert key in spots(atlas)
    for path in (day, day.with_name("2026-03-05.json")):
        path.unlink()
    faces = [piece.face for piece in atlas.pieces]
    assert len(life.map.read(faces)) == len(faces) - 2  # not even before the index has heard of it
    life.recall.catch_up()
    after = life.map.look()
    assert after is not None
    assert key not in spots(after)
    with life.map.file.opened() as sheet:
        dumped = "\n".join(sheet.connection.iterdump())
    assert "quetzalcoatl" not in dumped.lower()
    assert "2026-03-05.json" not in dumped


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
    with life.map.file.opened() as sheet:
        dumped = "\n".join(sheet.connection.iterdump())
    assert "Mia" not in dumped
    assert "Oskar" in dumped


def test_one_more_message_joins_its_evening(life: Life) -> None:
    life.talk(12)
    life.say("The lighthouse and the harbour tonight.")
    before = len(life.atlas().pieces)
    life.say("And the anchor, and the tide, in the harbour.")
    after = life.map.look()
    assert after is not None
    assert len(after.pieces) == before
    newest = max(after.pieces, key=lambda piece: piece.day)
    assert newest.count == 2


def test_days_that_move_into_the_archives_stay_where_they_are(life: Life) -> None:
    life.talk(12)
    life.say("The lighthouse and the harbour tonight.")
    before = life.atlas()
    life.clock.move(days=9)
    life.log.roll()
    life.recall.catch_up()
    after = life.map.look()
    assert after is not None
    assert spots(after).keys() == spots(before).keys()
    assert moved(before, after) < 1e-4
    assert len(life.map.members_of(after.pieces[-1].key)) > 0


def test_the_secret_diary_and_documents_are_not_on_it(life: Life) -> None:
    life.talk(10)
    life.paths.memory.mkdir(exist_ok=True)
    life.paths.secret_diary.write_text("Nobody knows of the zeppelin.\n", "utf-8")
    life.paths.main_memory.write_text("# 2026-03-04\nThe orchard was lovely.\n", "utf-8")
    life.paths.knowledge.mkdir(exist_ok=True)
    (life.paths.knowledge / "manual.txt").write_text("How to steer a zeppelin.\n", "utf-8")
    life.recall.catch_up()
    atlas = life.atlas()
    told = " ".join(passage.text for passage in life.map.read(piece.face for piece in atlas.pieces).values())
    assert "orchard" in told
    assert "zeppelin" not in told


def test_nothing_at_all_is_no_map_and_one_message_is_one(life: Life) -> None:
    empty = life.map.look()
    assert empty is not None
    assert empty.pieces == []
    life.say("Hello, it is me.")
    first = life.map.look()
    assert first is not None
    assert [piece.kind for piece in first.pieces] == ["talk"]
    assert scene_of(first, Scope(), 100).total == 1


def test_a_broken_file_is_drawn_anew(life: Life) -> None:
    life.talk(12)
    before = life.atlas()
    life.map.close()
    life.map.file.remove()
    life.map.file.path.write_bytes(b"this is no database, and never was one" * 100)
    with pytest.raises(sqlite3.DatabaseError), life.map.file.opened():
        pass
    again = MemoryMap(life.paths, life.recall)
    again.look()
    again.wait()
    drawn = again.look()
    assert drawn is not None
    assert spots(drawn) == spots(before)
    again.close()


def test_two_that_draw_at_once_agree(life: Life) -> None:
    life.talk(30)
    other = MemoryMap(life.paths, life.recall)
    for one in (life.map, other):
        one.look()
    for one in (life.map, other):
        one.wait()
    drawn = other.look()
    assert drawn is not None
    assert spots(drawn) == spots(life.atlas())
    other.close()


# What is drawn of it


def many(count: int, anchors: int = 20) -> Atlas:
    pieces = [
        Placed(f"talk m{n}", "talk" if n % 3 else "episode", 730_000 + n // 4, 5, 2 * n, n % anchors, n / count, 0.5)
        for n in range(count)
    ]
    labels = np.arange(anchors)
    return Atlas(pieces, labels % 4, labels % 10, {"region": {}, "quarter": {}})


def test_dots_stand_for_all_that_is_not_drawn() -> None:
    atlas = many(5000)
    scene = scene_of(atlas, Scope(), 300)
    assert 250 <= len(scene.dots) <= 360
    stood_for = [piece.key for dot in scene.dots for piece in dot.stands_for]
    assert sorted(stood_for) == sorted(piece.key for piece in atlas.pieces)
    assert all(piece.kind == dot.piece.kind for dot in scene.dots for piece in dot.stands_for)
    assert scene.newest == max(atlas.pieces, key=lambda piece: (piece.day, piece.kind == "talk", piece.key)).key
    assert scene.newest in {dot.piece.key for dot in scene.dots}


def test_the_sample_stays_when_a_little_is_added() -> None:
    before = {dot.piece.key for dot in scene_of(many(5000), Scope(), 300).dots}
    after = {dot.piece.key for dot in scene_of(many(5020), Scope(), 300).dots}
    assert len(before & after) >= 0.95 * len(before)


def test_who_comes_closer_sees_more() -> None:
    atlas = many(5000)
    region = scene_of(atlas, Scope(1), 300)
    quarter = scene_of(atlas, Scope(1, 1), 300)
    assert {place.number for place in region.places} == {1, 3, 5, 7, 9}
    assert region.total == 1250
    assert quarter.total == 500
    whole = scene_of(atlas, Scope(), 300)
    each = [len(dot.stands_for) for dot in whole.dots]
    closer = [len(dot.stands_for) for dot in quarter.dots]
    assert np.mean(closer) < np.mean(each) / 4


def test_little_is_drawn_whole() -> None:
    scene = scene_of(many(120), Scope(), 300)
    assert len(scene.dots) == 120
    assert all(len(dot.stands_for) == 1 for dot in scene.dots)
