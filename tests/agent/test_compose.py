from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from agent.compose import CEILINGS, Part, compose_system, cut_to, fit_turns, text_part
from agent.prompts.reply import PartName
from managers.mind import ChatTurn, Image

NAMES = st.sampled_from(sorted(CEILINGS))
ITEMS = st.lists(st.text(min_size=1, max_size=400), max_size=20)


def characters(text: str) -> int:
    return len(text)


@given(
    parts=st.dictionaries(NAMES.filter(lambda n: n not in {"guidance", "concern"}), ITEMS, max_size=11),
    room=st.integers(50, 5000),
)
def test_a_prompt_never_exceeds_its_room(parts: dict[str, list[str]], room: int) -> None:
    made = compose_system([Part(n, i) for n, i in parts.items()], room, "ja", characters)  # type: ignore[arg-type]
    assert len(made) <= room


def test_no_part_exceeds_its_ceiling_however_much_there_is() -> None:
    years = text_part("notepad", "\n".join(f"line {n}" for n in range(100_000)), keep="last")
    made = compose_system([years], 1_000_000, "en", characters)
    assert len(made) <= CEILINGS["notepad"] + len("## Notepad\n")
    assert made.endswith("line 99999")


def test_a_small_mind_keeps_some_of_everything_and_all_of_the_guidance() -> None:
    guidance = "Be honest. " * 20
    parts = [
        text_part("guidance", guidance),
        *(text_part(name, f"{name} " * 600) for name in ("persona", "core_memory", "hits", "episodes")),
    ]
    made = compose_system(parts, 1500, "en", characters)
    assert guidance.strip() in made
    assert all(f"{name} {name}" in made for name in ("persona", "core_memory", "hits", "episodes"))


def test_what_others_leave_goes_to_the_important_parts_first() -> None:
    persona, notes = "p" * 1900, "n" * 1100
    made = compose_system([text_part("notepad", notes), text_part("persona", persona)], 2200, "en", characters)
    assert made.count("p") > made.count("n")


def test_an_empty_part_has_no_heading() -> None:
    assert compose_system([text_part("persona", "  \n"), text_part("goals", "- nap")], 500, "en", characters) == (
        "## Your goals\n- nap"
    )


@given(st.text(max_size=300), st.integers(0, 300), st.sampled_from(["first", "last"]))
def test_a_cut_text_fits_and_is_marked(text: str, room: int, keep: str) -> None:
    cut = cut_to(text, room, characters, keep)  # type: ignore[arg-type]
    assert len(cut) <= room
    if cut and cut != text:
        assert "…" in cut


def test_the_newest_turns_stay_and_the_last_always() -> None:
    turns = [ChatTurn("user", f"message {n} " * 10) for n in range(50)]
    kept = fit_turns(turns, 1000, characters)
    assert kept == turns[-len(kept) :]
    assert sum(len(t.text) for t in kept) <= 1000
    image = Image("image/png", b"x")
    book = fit_turns([ChatTurn("user", "a" * 1_000_000, images=(image,))], 500, characters)
    assert len(book) == 1
    assert len(book[0].text) <= 500
    assert book[0].images == (image,)


def test_the_parts_stand_from_who_it_is_to_what_it_recalls() -> None:
    names: list[PartName] = ["hits", "goals", "persona", "strategy", "core_memory", "drives", "notepad", "episodes"]
    text = compose_system([text_part(name, f"<{name}>") for name in names], 10_000, "en", characters)
    found = re.findall(r"<(\w+)>", text)
    assert found == ["persona", "core_memory", "notepad", "episodes", "strategy", "goals", "drives", "hits"]


def test_a_resolution_is_not_cut_in_half_by_a_long_persona() -> None:
    strategy = "Ask how the exam went, and listen first."
    parts = [
        text_part("persona", "I nap. " * 500),
        Part("hits", [f"[2026-01-{day:02d}] something said. " * 5 for day in range(1, 29)]),
        text_part("strategy", strategy),
    ]
    text = compose_system(parts, 700, "en", characters)
    assert strategy in text
    assert len(text) <= 700
