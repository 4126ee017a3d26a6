"""Self-harm and danger: what raises a concern, what is an idiom, and the help lines."""

from pathlib import Path

from managers.language.reading.concern import find_concern, find_help_lines, help_lines

FOLDER = Path(__file__).parent


def _lines(name: str) -> list[str]:
    return (FOLDER / f"concern.{name}.txt").read_text("utf-8").splitlines()


def test_it_is_noticed_and_idioms_news_and_denials_raise_none() -> None:
    assert [text for text in _lines("raises") if find_concern(text) is None] == []
    assert [text for text in _lines("harmless") if find_concern(text) is not None] == []


def test_kinds_and_a_denial_of_one_thing_does_not_hide_another() -> None:
    kinds = {
        "もう生きていたくない": "self_harm",
        "I don't want to be here anymore": "self_harm",
        "夫に殴られた": "danger",
        "she threatened to kill me": "danger",
        "I don't want to die, but I keep cutting myself": "self_harm",
        "死ぬほど笑ったけど、本当はもう消えてしまいたい": "self_harm",
    }
    assert {text: find_concern(text) for text in kinds} == kinds


def test_each_country_gets_its_lines_those_that_help_and_a_directory_at_the_end() -> None:
    for locale, number in {"ja": "0120-279-338", "en-GB": "116 123", "en_US": "988", "en-AU": "13 11 14"}.items():
        assert any(number in line for line in help_lines(locale))
    assert help_lines("ja-JP") == help_lines("ja")
    assert not any("988" in line for line in help_lines("en-GB"))
    for locale in ("ja", "en", "en-NZ", "fr", "", "xx-YY"):
        assert "findahelpline.com" in help_lines(locale)[-1]
    assert [any("#8008" in line for line in help_lines("ja", kind)) for kind in ("self_harm", "danger")] == [
        False,
        True,
    ]
    lines = find_help_lines("ja")
    assert all(line.name and line.contact for line in lines)
    assert any(line.checked is not None for line in lines)
