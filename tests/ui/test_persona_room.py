"""The persona room: only what was changed is written, to whom it was meant, and no word on the page is lost."""

from typing import Any

import gradio as gr
import pytest

from agent.services import Services
from tests.ui.rooms import NAME
from ui.locales import texts
from ui.personas import PersonaHandlers

EN = texts("en")
GREETING, PROMPT = 2, 5


@pytest.fixture
def room(services: Services, monkeypatch: pytest.MonkeyPatch) -> PersonaHandlers:
    # A toast needs a page to be shown on.
    monkeypatch.setattr("ui.personas.say_error", lambda error, t: None)
    monkeypatch.setattr("ui.personas.say_done", lambda sentence, t: None)
    return PersonaHandlers(services, EN)


def opened(room: PersonaHandlers, name: str = NAME) -> tuple[dict[str, Any], list[str]]:
    """Return the sight of a persona and what its fields hold."""
    sight, *shown = room.open(name)
    return sight, list(shown[:6])


def test_what_another_window_wrote_is_not_written_back(services: Services, room: PersonaHandlers) -> None:
    sight, fields = opened(room)
    services.personas.set_greeting(NAME, "written elsewhere")
    fields[PROMPT] = "I am somebody new."
    room.save(NAME, 0, sight, {}, *fields)
    saved = services.personas.get(NAME)
    assert (saved.greeting, saved.system_prompt) == ("written elsewhere", "I am somebody new.")


def test_a_prompt_that_changed_elsewhere_is_shown_and_saving_again_means_it(
    services: Services, room: PersonaHandlers
) -> None:
    sight, fields = opened(room)
    services.personas.get(NAME).paths.system_prompt.write_text("from an editor", encoding="utf-8")
    fields[PROMPT] = "mine"
    *_, sight, state = room.save(NAME, 0, sight, {}, *fields)
    assert services.personas.get(NAME).system_prompt == "from an editor"
    assert "from an editor" in state
    room.save(NAME, 0, sight, {}, *fields)
    assert services.personas.get(NAME).system_prompt == "mine"


def test_a_name_that_is_taken_keeps_the_rest_and_is_no_conflict_with_oneself(
    services: Services, room: PersonaHandlers
) -> None:
    taken = services.personas.create("taken", language="en").name
    sight, fields = opened(room)
    own: dict[str, str | None] = {}
    fields[0], fields[PROMPT] = taken, "mine"
    name, _, sight, state = room.save(NAME, 0, sight, own, *fields)
    assert (name, services.personas.get(NAME).system_prompt) == (NAME, "mine")
    assert "data-unsaved" in state
    fields[0], fields[PROMPT] = "free", "mine, still"
    name, *_ = room.save(NAME, 0, sight, own, *fields)
    assert (name, services.personas.get("free").system_prompt) == ("free", "mine, still")


def test_a_new_face_leaves_the_words_that_are_being_written(services: Services, room: PersonaHandlers) -> None:
    sight, fields = opened(room)
    services.personas.set_greeting(NAME, "written elsewhere")
    fields[PROMPT] = "half a sen"
    sight, *shown = room.look_again(NAME, sight, *fields)
    assert (shown[GREETING], shown[PROMPT]) == ("written elsewhere", gr.skip())
    room.save(NAME, 0, sight, {}, *fields[:GREETING], "written elsewhere", *fields[GREETING + 1 :])
    assert services.personas.get(NAME).system_prompt == "half a sen"


def test_what_was_asked_for_is_done_to_who_was_shown(services: Services, room: PersonaHandlers) -> None:
    other = services.personas.create("other", language="en").name
    sight, fields = opened(room)
    before = services.personas.get(other).system_prompt
    fields[PROMPT] = "meant for the first"
    assert room.save(other, 3, sight, {}, *fields) == (other, 4, gr.skip(), gr.skip())
    assert services.personas.get(NAME).system_prompt == "meant for the first"
    assert services.personas.get(other).system_prompt == before
    assert room.act(other, 4, sight, gr.EventData(None, {"action": "delete"})) == (other, 5)
    assert NAME not in services.personas.list_names()
