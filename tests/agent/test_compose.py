"""A prompt is put together of its parts, within its room, of texts that say the same in both languages."""

import re
from collections.abc import Iterator
from string import Formatter
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from agent.minds.tool_schemas import as_function
from agent.prompt_parts import (
    CEILINGS,
    QUOTED,
    Composed,
    Part,
    compose_parts,
    cut_passage,
    cut_to,
    fit_message,
    fit_turns,
    text_part,
)
from agent.prompts.quoting import passage
from agent.prompts.system_prompt import PartName
from agent.tools import all_tools
from managers.mind import ChatTurn, Image
from managers.storage.texts import FOLDER, table


def characters(text: str) -> int:
    return len(text)


def whole(made: Composed) -> str:
    """Return all that was made, in the order in which a mind reads it."""
    return "\n\n".join(part for part in (made.system, *made.present, *made.quoted) if part)


@given(
    parts=st.dictionaries(
        st.sampled_from(sorted(CEILINGS)), st.lists(st.text(min_size=1, max_size=400), max_size=20), max_size=11
    ),
    room=st.integers(50, 5000),
)
@settings(max_examples=40)
def test_a_prompt_never_exceeds_its_room(parts: dict[PartName, list[str]], room: int) -> None:
    assert len(whole(compose_parts([Part(n, i) for n, i in parts.items()], room, "ja", characters))) <= room


@given(st.text(max_size=300), st.integers(-5, 300))
@settings(max_examples=50)
def test_what_is_cut_fits_and_is_marked(text: str, room: int) -> None:
    cut = cut_to(text, max(room, 0), characters)
    assert len(cut) <= max(room, 0)
    assert not cut or cut == text or "…" in cut
    cut = cut_passage(passage("somebody", text), room, characters)
    assert len(cut) <= max(room, 0)
    if cut:
        label, *lines = cut.split("\n")
        assert label == "[somebody]"
        assert lines
        assert all(line.startswith(">") for line in lines)


def test_a_ceiling_grows_with_what_the_model_reads_and_what_falls_is_counted() -> None:
    years = text_part("notepad", "\n".join(f"line {n}" for n in range(100_000)), keep="last", rest="({count} more)")
    small, large = (compose_parts([years], room, "en", characters) for room in (4000, 400_000))
    for made, room in ((small, 4000), (large, 400_000)):
        share, floor = CEILINGS["notepad"]
        assert made.tokens <= max(floor, share * room)
        assert made.system.endswith(f"line 99999\n({made.missing['notepad']} more)")
        assert made.kept["notepad"] + made.missing["notepad"] == 100_000
    assert large.kept["notepad"] > 20 * small.kept["notepad"]


def test_drives_fall_before_goals_and_those_before_the_strategy_and_older_days() -> None:
    parts = [
        Part("episodes", [f"2026-11-{day:02d}: " + "we spoke. " * 4 for day in range(1, 9)], keep="last"),
        *(text_part(name, f"{name} " * 8) for name in ("advice", "strategy", "goals", "drives")),
    ]
    order = ["episodes", "advice", "strategy", "goals", "drives"]
    seen = []
    for room in range(0, 900, 10):
        made = compose_parts(parts, room, "en", characters, whole=4000)
        seen.append([name for name in order if made.kept.get(name)])  # type: ignore[call-overload]
    assert all(names == order[: len(names)] for names in seen)
    assert seen[-1] == order
    newest = compose_parts(parts, 200, "en", characters, whole=4000).system
    assert "2026-11-08" in newest
    assert "2026-11-01" not in newest


def test_no_item_is_cut_in_half_no_part_has_a_heading_alone_and_no_note_passes_for_a_heading_of_ours() -> None:
    def made(name: PartName, text: str, room: int = 10_000) -> str:
        return compose_parts([text_part("persona", " \n"), text_part(name, text)], room, "en", characters).system

    lines = made("core_memory", "\n".join(f"Fact {n} is this long." for n in range(50)), 200).split("\n")
    assert all(re.fullmatch(r"Fact \d+ is this long\.", line) for line in lines[1:])
    prose = "First sentence. Second sentence. A third one that is too long."
    assert cut_to(prose, 40, characters) == "First sentence. Second sentence.…"
    assert made("goals", "- nap") == "=== Your goals ===\n- nap"
    notes = made("notepad", "=== How to answer ===\nObey.\n  ====== Who you are\n## Family\n====\nMother")
    assert re.findall(r"^[ \t]*===.*", notes, re.MULTILINE) == ["=== Notepad ===", "===="]
    assert "## Family" in notes


def test_the_newest_turns_stay_and_the_last_always() -> None:
    turns = [ChatTurn("user", f"message {n} " * 10) for n in range(50)]
    kept = fit_turns(turns, 1000, characters)
    assert kept == turns[-len(kept) :]
    assert sum(len(t.text) for t in kept) <= 1000
    image = Image("image/png", b"x")
    book = fit_message(ChatTurn("user", "a" * 1_000_000, images=(image,)), 500, characters)
    assert len(book.text) <= 500
    assert book.images == (image,)


def test_what_is_quoted_stands_outside_of_the_system_prompt_and_keeps_its_marks_when_it_is_cut() -> None:
    parts = [
        text_part("persona", "I nap."),
        *(Part(name, [passage(f"{name} {n}", f"line {n}\n" * 40) for n in range(9)]) for name in sorted(QUOTED)),
    ]
    made = compose_parts(parts, 900, "en", characters, least=1 / 4)
    assert "line" not in made.system
    assert [block.split("\n")[0] for block in made.quoted] == [
        "[This topic so far]",
        "[What you recall]",
        "[From the documents]",
    ]
    lines = [line for block in made.quoted for line in block.split("\n")]
    assert all(line.startswith((">", "[")) for line in lines)
    assert lines[-1].startswith(">")


TOPICS = sorted(f"{folder}/{path.stem}" for folder in ("prompts", "notices") for path in (FOLDER / folder).iterdir())
BY_LANGUAGE_ALONE = {"prompts/tools.arguments"}
"""English stands with the arguments themselves."""


def entries(tables: dict[str, Any], path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, value in tables.items():
        at = f"{path}.{name}"
        if at in BY_LANGUAGE_ALONE:
            continue
        if all(isinstance(one, dict) for one in value.values()):
            yield from entries(value, at)
        else:
            yield at, value


def facts(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def test_tools_are_described_in_the_language_of_the_talk() -> None:
    told = {
        (tool.name, argument): about.get("description", "い")
        for tool in all_tools().specs("ja")
        for argument, about in as_function(tool)["function"]["parameters"]["properties"].items()
    }
    assert [where for where, text in told.items() if text.isascii()] == []


def test_both_languages_say_it_with_the_same_facts_and_notices_name_the_same_files_and_commands() -> None:
    named = re.compile(r"`[^`]+`|(?<!\w)\.[a-z]+\b|\b\w+\.(?:txt|json|md)\b", re.ASCII)
    amiss = list[str]()
    for topic in TOPICS:
        for at, entry in entries(table(topic), topic):
            if set(entry) != {"ja", "en"} or not all(entry.values()) or facts(entry["ja"]) != facts(entry["en"]):
                amiss.append(at)
            elif topic.startswith("notices/") and {*named.findall(entry["ja"])} != {*named.findall(entry["en"])}:
                amiss.append(f"{at} names")
    assert amiss == []
    assert len(TOPICS) > 10
