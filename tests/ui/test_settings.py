"""The options: made from the models, explained in both languages, kept where they belong, with a way back."""

import pytest

from agent.services import Services
from managers.storage.errors import InvalidSettingError
from managers.storage.settings import Settings
from tests.ui.rooms import NAME
from ui.locales import LANGUAGES, texts
from ui.options import (
    AUTONOMY,
    ELSEWHERE,
    HIDDEN,
    SECTIONS,
    OptionHandlers,
    Scope,
    fields,
    options,
    page,
    spoken,
    typed,
)

EVERYBODY, OWN = Scope(), Scope(own=True)
ALL = [
    (section, key) for section in Settings.model_fields for key in fields(section) if f"{section}.{key}" not in HIDDEN
]


@pytest.fixture
def room(services: Services) -> OptionHandlers:
    return OptionHandlers(services, texts("en"))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_setting_has_words_and_an_explanation(lang: str) -> None:
    t = texts("ja" if lang == "ja" else "en")
    for section, key in ALL:
        assert t(f"options.{section}.{key}")
        assert t(f"options.{section}_info.{key}")
        assert spoken(fields(section)[key], fields(section)[key].get_default(), t)


def test_no_words_are_left_of_a_setting_that_is_gone() -> None:
    known = {f"options.{section}.{key}" for section, key in ALL}
    worded = {key for key in texts("en").keys if key.split(".")[1] in Settings.model_fields}
    assert {key for key in worded if key.startswith("options.")} == known


def test_every_setting_is_shown_in_some_group() -> None:
    found = [option.name for option in options(Settings(), Settings(), {})]
    common = [option.name for option in options(Settings(), Settings(), None)]
    assert {f"{section}.{key}" for section, key in ALL} - ELSEWHERE == {*found, *common}
    assert set(fields("sleep")) >= AUTONOMY


@pytest.mark.parametrize("group", SECTIONS)
def test_each_control_is_labelled_and_described(services: Services, room: OptionHandlers, group: str) -> None:
    html = room.open(NAME, Scope(group=group))
    for name in {part.split('"')[0] for part in html.split('data-change="set" data-name="')[1:]}:
        slug = f"option-{name.replace('.', '-')}"
        assert f'<label for="{slug}">' in html
        assert f'id="{slug}" aria-describedby="{slug}-about"' in html
        assert f'id="{slug}-about"' in html


def set_to(room: OptionHandlers, scope: Scope, name: str, value: object) -> bool:
    return room.do(NAME, scope, {"action": "set", "name": name, "value": value})[1]


def test_a_setting_is_kept_for_everybody_and_given_back(services: Services, room: OptionHandlers) -> None:
    set_to(room, EVERYBODY, "recall.max_hits", "6")
    assert services.settings().recall.max_hits == 6
    html = room.open(NAME, Scope(group="recall"))
    assert 'data-action="reset" data-name="recall.max_hits"' in html
    room.do(NAME, EVERYBODY, {"action": "reset", "name": "recall.max_hits"})
    assert "max_hits" not in services.settings_file.path.read_text(encoding="utf-8")


def test_a_default_that_is_chosen_is_not_written(services: Services, room: OptionHandlers) -> None:
    set_to(room, EVERYBODY, "conversation.window_turns", "20")
    assert "window_turns" not in services.settings_file.path.read_text(encoding="utf-8")


def test_a_persona_has_its_own_over_everybodys(services: Services, room: OptionHandlers) -> None:
    set_to(room, EVERYBODY, "sleep.autonomous_actions_per_day", "5")
    set_to(room, OWN, "sleep.autonomous_actions_per_day", "1")
    assert services.settings().sleep.autonomous_actions_per_day == 5
    assert services.companion(NAME).memories.settings().sleep.autonomous_actions_per_day == 1
    assert services.companion("Hazel").memories.settings().sleep.autonomous_actions_per_day == 5
    html = room.open(NAME, Scope(own=True, group="autonomy"))
    assert "(for everybody: 5)" in html
    room.do(NAME, OWN, {"action": "reset", "name": "sleep.autonomous_actions_per_day"})
    assert services.companion(NAME).memories.settings().sleep.autonomous_actions_per_day == 5


def test_a_changed_setting_reaches_the_search_without_a_restart(services: Services, room: OptionHandlers) -> None:
    memories = services.companion(NAME).memories
    for n in range(8):
        memories.log.append("user", "ミナ", f"青い傘を{n}回さがした")
    memories.recall.catch_up()
    assert len(memories.recall.recall_memories("青い傘")) > 1
    set_to(room, EVERYBODY, "recall.recall_memories_hits", "1")
    assert services.companion(NAME).memories is memories
    assert len(memories.recall.recall_memories("青い傘")) == 1


def test_what_the_search_takes_in_at_its_opening_opens_it_anew(services: Services, room: OptionHandlers) -> None:
    before = services.companion(NAME)
    set_to(room, OWN, "recall.chunk_size", "200")
    assert services.companion(NAME) is not before
    assert services.companion(NAME).memories.settings().recall.chunk_size == 200


def test_a_change_of_the_mind_is_told_to_the_head_of_the_page(services: Services, room: OptionHandlers) -> None:
    assert set_to(room, OWN, "mind.provider", "builtin")
    assert not set_to(room, OWN, "recall.max_hits", "9")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("recall.max_hits", "0"),
        ("recall.max_hits", "many"),
        ("recall.max_hits", ""),
        ("recall.threshold", "nan"),
        ("sleep.quiet_start_hour", "24"),
        ("page.language", "fr"),
        ("secrets.keys", "x"),
        ("mind", "x"),
    ],
)
def test_what_a_setting_cannot_be_is_refused_and_nothing_is_written(
    services: Services, room: OptionHandlers, name: str, value: str
) -> None:
    before = services.settings_file.path.read_text(encoding="utf-8")
    with pytest.raises(InvalidSettingError):
        set_to(room, EVERYBODY, name, value)
    assert services.settings_file.path.read_text(encoding="utf-8") == before


def test_a_switch_is_on_or_off() -> None:
    switch = fields("sleep")["silence"]
    assert [typed(switch, value) for value in (True, "true", False, "false", "")] == [True, True, False, False, False]


def test_a_persona_is_not_asked_for_what_is_everybodys(services: Services, room: OptionHandlers) -> None:
    html = room.open(NAME, OWN)
    assert 'data-group="page"' not in html
    assert 'data-group="user"' not in html
    assert 'data-group="page"' in room.open(NAME, EVERYBODY)


def test_without_a_persona_the_settings_are_everybodys() -> None:
    html = page(options(Settings(), Settings(), None), "", EVERYBODY, texts("ja"))
    assert "data-scope" not in html
