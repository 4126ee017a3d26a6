"""What is private is found whole and as what it is, hidden, and put back to the letter."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.masking import LEAST, NAMES, examples, figures
from managers.language.masking.detection import find
from managers.language.masking.placeholders import Mask, Showing, mask, unmask
from managers.language.reading.concern import every_help_line
from tests.parsers.growth import MOST_GROWTH, Recipe, growth
from tests.speeds import one_quick

_PRIVATE = ["hana@example.jp", "090-1234-5678", "4111 1111 1111 1111", "203.0.113.9", "sk-abcdefghij0123456789"]
_PIECES = st.sampled_from([*_PRIVATE, "[REDACTED_EMAIL]", "[REDACTED_PHONE_2]", "[REDA", "、", " and ", "です\n", "\\"])


@pytest.mark.parametrize("name", NAMES)
def test_precision_and_recall(name: str) -> None:
    counted = figures(name)
    assert len(examples(name)) >= 200
    assert counted.precision >= LEAST, counted.wrong
    assert counted.recall >= LEAST, counted.missed


def test_the_documents_placeholders_stand_there() -> None:
    text = "hana@example.jp 090-1234-5678 カード4111111111111111 SSN 536-90-4399 203.0.113.9 AKIAIOSFODNN7EXAMPLE"
    kinds = ["EMAIL", "PHONE", "CC", "SSN", "IP", "API_KEY"]
    shown = mask(text).text
    assert [f"[REDACTED_{kind}]" in shown for kind in kinds] == [True] * len(kinds)


def test_the_number_of_a_help_line_is_never_hidden() -> None:
    for line in every_help_line():
        told = f"辛いときは{line.contact}へ。 {line.hours}"
        assert mask(told).text == told
        assert mask(told.replace("-", "")).text == told.replace("-", "")


def test_several_of_a_kind_are_numbered_and_a_placeholder_that_somebody_wrote_stays_what_it_is() -> None:
    used = Mask()
    hidden = used.hide("a@example.jpとb@example.jp、またa@example.jp")
    assert hidden == "[REDACTED_EMAIL]と[REDACTED_EMAIL_2]、また[REDACTED_EMAIL]"
    assert used.hide("b@example.jp") == "[REDACTED_EMAIL_2]"
    assert used.show("[REDACTED_EMAIL_2]と[REDACTED_EMAIL_3]") == "b@example.jpと[REDACTED_EMAIL_3]"
    masked = mask("[REDACTED_EMAIL]は伏せ字、本当はa@example.jp")
    assert masked.text == "[REDACTED_EMAIL]は伏せ字、本当は[REDACTED_EMAIL_2]"
    assert unmask(r"\[REDACTED\_EMAIL\]へ", {"[REDACTED_EMAIL]": "a@example.jp"}) == "a@example.jpへ"  # of Markdown


@given(st.lists(_PIECES, max_size=12).map("、".join))
def test_what_was_hidden_comes_back_to_the_letter(text: str) -> None:
    masked = mask(text)
    assert not find(masked.text)
    if "\\[REDACTED" not in masked.text:  # an escaped placeholder is read as one
        assert unmask(masked.text, masked.replacements) == text


@given(st.lists(_PIECES, max_size=8).map("".join), st.lists(st.integers(1, 5), min_size=1))
def test_pieces_may_cut_a_placeholder_anywhere(text: str, lengths: list[int]) -> None:
    used = Mask()
    shown, showing, at, said = used.hide(text), Showing(used), 0, ""
    for length in lengths * (len(shown) + 1):
        said += showing.feed(shown[at : at + length])
        at += length
    assert said + showing.finish() == used.show(shown)


def test_what_cannot_become_a_placeholder_is_not_held_back() -> None:
    showing = Showing(Mask())
    fed = [showing.feed(piece) for piece in ("[リンク", "](x) [R", "ED]", " [REDACTED_E")]
    assert fed == ["[リンク", "](x) ", "[RED]", " "]
    assert showing.finish() == "[REDACTED_E"


def test_arguments_of_tools_are_hidden_and_put_back() -> None:
    used = Mask()
    arguments = {"query": "a@example.jp", "days": 3, "people": [{"tel": "090-1234-5678"}]}
    hidden = used.hide_in(arguments)
    assert hidden == {"query": "[REDACTED_EMAIL]", "days": 3, "people": [{"tel": "[REDACTED_PHONE]"}]}
    assert used.show_in(hidden) == arguments


def test_names_are_hidden_where_that_is_wished_for() -> None:
    text = "田中さんとMikaに会った。Mikasaではない"
    assert mask(text).text == text
    hidden = mask(text, names=True, known=frozenset({"Mika"}))
    assert hidden.text == "[REDACTED_NAME]さんと[REDACTED_NAME_2]に会った。Mikasaではない"
    assert unmask(hidden.text, hidden.replacements) == text


@pytest.mark.parametrize(
    "piece",
    one_quick(
        ["1", "a@", "::", "1.", "09-", "sk-a", "0 ", "-----BEGIN PRIVATE KEY-----", "a://b:", "a%40", "a (at) ", "あ@"],
        quick=3,
    ),
)
def test_odd_text_takes_time_in_proportion_to_its_length(piece: str) -> None:
    made = Recipe(b"", piece.encode(), b"x")
    assert growth(lambda raw: find.__wrapped__(raw.decode()), made, 1 << 14) < MOST_GROWTH


def test_a_start_does_not_load_what_only_numbers_need() -> None:
    asked = "import app, agent.services, sys; print([one for one in ('phonenumbers', 'stdnum') if one in sys.modules])"
    assert subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True).stdout == "[]\n"
