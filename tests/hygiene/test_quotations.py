"""What is to be erased is found in one walk through a text, however many quotations there are, and none is missed."""

from hypothesis import given, settings
from hypothesis import strategies as st

from managers.hygiene.traces import TELLING, Quotations, Traces

_LETTERS = st.text("ab", min_size=TELLING, max_size=4 * TELLING)


@settings(max_examples=50)
@given(quotations=st.lists(_LETTERS, min_size=60, max_size=80), text=st.text("ab", max_size=90), at=st.integers(0, 59))
def test_finds_what_a_look_for_each_finds(quotations: list[str], text: str, at: int) -> None:
    text = text[:40] + quotations[at] + text[40:]
    wanted = {one for one in quotations if one in text}
    assert set(Quotations(quotations).in_text(text)) == wanted
    assert set(Quotations(one.encode() for one in quotations).in_text(text.encode())) == {
        one.encode() for one in wanted
    }


def test_many_quotations_are_taken_out_of_notes_and_found_in_files() -> None:
    words = [f"the harbour of day {number} was cold" for number in range(200)]
    traces = Traces(words=tuple(words))
    note = f"Kept. {words[7]}. And this stays.\n{words[199]}\n"
    assert traces.cleaned(note) == "Kept. . And this stays.\n\n"
    assert traces.is_in(note.encode("utf-16-le"))
    assert not traces.is_in(b"the harbour of day 7 was warm")
