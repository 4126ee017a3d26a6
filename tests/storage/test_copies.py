"""Second versions that sync services and editors leave: known by their names, and by content where people use such names."""

from pathlib import Path

from managers.storage.copies import are_same, copies_in, data, guesses, marks

LOG = "## USER:Sara\n{text}\n\n2026-01-02 (Fri) 22:00:00 |  | {id}\n\n"


def test_a_name_tells_its_original_and_other_names_do_not_fit() -> None:
    missed = []
    for told, made in zip(data()["mark"], marks(), strict=True):
        for name, original in told["yes"]:
            if not made.pattern.fullmatch(name) or original not in {guess.original for guess in guesses(name)}:
                missed.append(name)
        missed += [name for name in told["no"] if made.pattern.fullmatch(name)]
    assert missed == []


def found_in(folder: Path) -> dict[str, str]:
    names = [path.name for path in folder.iterdir()]
    return {name: copy.original.name for name, copy in copies_in(folder, names).items()}


def test_a_plain_name_counts_only_beside_its_original(tmp_path: Path) -> None:
    copy = "2026-01 (Hana's conflicted copy 2026-02-03).txt"
    (tmp_path / copy).write_text("one")
    assert found_in(tmp_path) == {}
    (tmp_path / "2026-01.txt").write_text("two")
    assert found_in(tmp_path) == {copy: "2026-01.txt"}


def test_a_name_that_people_give_needs_the_same_messages(tmp_path: Path) -> None:
    (tmp_path / "old.txt").write_text("".join(LOG.format(text=n, id=f"i{n}") for n in range(4)))
    names = ["old 2.txt", "old (1).txt", "old-LAPTOP-1.txt", "old copy.txt", "old.bak.txt", "old-LAPTOP (1).txt"]
    for held, are_copies in ((range(4, 8), False), (range(2, 6), True)):
        for name in names:
            (tmp_path / name).write_text("".join(LOG.format(text=n, id=f"i{n}") for n in held))
        assert found_in(tmp_path) == (dict.fromkeys(names, "old.txt") if are_copies else {})


def test_an_entity_of_its_own_is_no_copy_of_another(tmp_path: Path) -> None:
    card = "# Entity Memory: {}\nCreated: 2026-01-01 12:00:00\n\n- likes cats\n- likes tea\n"
    for name in ("Anna", "Anna-Maria", "Apollo", "Apollo 2"):
        (tmp_path / f"{name}.md").write_text(card.format(name))
    assert found_in(tmp_path) == {}
    (tmp_path / "Anna 2.md").write_text(card.format("Anna") + "- has a dog\n")
    assert found_in(tmp_path) == {"Anna 2.md": "Anna.md"}


def test_lists_and_texts_are_known_by_their_ids_and_lines(tmp_path: Path) -> None:
    (tmp_path / "goals.json").write_text('{"short_term": [{"id": "sh_1"}, {"id": "sh_2"}]}')
    (tmp_path / "goals (1).json").write_text('{"short_term": [{"id": "sh_3"}, {"id": "sh_4"}]}')
    (tmp_path / "trip.txt").write_text("Monday: the sea\nTuesday: the hills\n")
    (tmp_path / "trip 2.txt").write_text("Monday: at home\nTuesday: in bed\n")
    assert found_in(tmp_path) == {}
    (tmp_path / "goals (1).json").write_text('{"short_term": [{"id": "sh_1"}, {"id": "sh_5"}]}')
    (tmp_path / "trip 2.txt").write_text("Monday: the sea\nTuesday: the hills\nWednesday: rain\n")
    assert found_in(tmp_path) == {"goals (1).json": "goals.json", "trip 2.txt": "trip.txt"}


def test_where_versions_are_kept_on_purpose_only_the_same_bytes_count(tmp_path: Path) -> None:
    (tmp_path / "report.txt").write_text("the same\nbut for one\n")
    (tmp_path / "report (2).txt").write_text("the same\nbut for two\n")
    names = ["report.txt", "report (2).txt"]
    assert copies_in(tmp_path, names, are_same) == {}
    (tmp_path / "report (2).txt").write_text("the same\nbut for one\n")
    assert list(copies_in(tmp_path, names, are_same)) == ["report (2).txt"]


def test_a_name_in_another_normal_form_has_the_same_original(tmp_path: Path) -> None:
    (tmp_path / "か\u3099く.md").write_text("a")  # がく, as macOS may spell it
    (tmp_path / "がく.sync-conflict-20260203-150405-ABCDEF7.md").write_text("b")
    assert list(found_in(tmp_path)) == ["がく.sync-conflict-20260203-150405-ABCDEF7.md"]
