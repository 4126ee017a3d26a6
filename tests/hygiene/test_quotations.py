"""What is to be erased is found in one walk through a text, however many quotations there are, and none is missed."""

from hypothesis import given, settings
from hypothesis import strategies as st

from managers.hygiene.traces import TELLING, Quotations

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
