"""Self-harm and danger: what raises a concern, what is an idiom, and the help lines."""

from pathlib import Path

import pytest

from managers.language.reading.concern import find_concern, find_help_lines, help_lines

FOLDER = Path(__file__).parent


def _lines(name: str) -> list[str]:
    return (FOLDER / f"concern.{name}.txt").read_text("utf-8").splitlines()


@pytest.mark.parametrize("text", _lines("raises"))
def test_it_is_noticed(text: str) -> None:
    assert find_concern(text) is not None


@pytest.mark.parametrize("text", _lines("harmless"))
def test_idioms_news_and_denials_raise_none(text: str) -> None:
    assert find_concern(text) is None


def test_kinds() -> None:
    assert find_concern("もう生きていたくない") == "self_harm"
    assert find_concern("I don't want to be here anymore") == "self_harm"
    assert find_concern("夫に殴られた") == "danger"
    assert find_concern("she threatened to kill me") == "danger"


def test_a_denial_of_one_thing_does_not_hide_another() -> None:
    assert find_concern("I don't want to die, but I keep cutting myself") == "self_harm"
    assert find_concern("死ぬほど笑ったけど、本当はもう消えてしまいたい") == "self_harm"


@pytest.mark.parametrize("text", ["", "\x00", "死" * 30_000, "kill " * 10_000, "\ud800"])
def test_any_text_is_safe(text: str) -> None:
    find_concern(text)


def test_japan_gets_japanese_lines_and_others_theirs() -> None:
    assert any("0120-279-338" in line for line in help_lines("ja"))
    assert help_lines("ja-JP") == help_lines("ja")
    assert any("116 123" in line for line in help_lines("en-GB"))
    assert not any("988" in line for line in help_lines("en-GB"))
    assert any("988" in line for line in help_lines("en_US"))
    assert any("13 11 14" in line for line in help_lines("en-AU"))


def test_every_list_ends_with_the_international_directory() -> None:
    for locale in ("ja", "en", "en-NZ", "fr", "", "xx-YY"):
        assert "findahelpline.com" in help_lines(locale)[-1]


def test_a_kind_leaves_out_what_does_not_help() -> None:
    assert not any("#8008" in line for line in help_lines("ja", "self_harm"))
    assert any("#8008" in line for line in help_lines("ja", "danger"))


def test_lines_carry_name_contact_and_the_date_of_the_last_check() -> None:
    lines = find_help_lines("ja")
    assert all(line.name and line.contact for line in lines)
    assert any(line.checked is not None for line in lines)
