"""What the keyboard does is told in both languages, on the page and in the documents."""

import re

import pytest

from managers.storage.paths import CHECKOUT
from ui.locales import texts

SCRIPT = (CHECKOUT / "ui" / "static" / "scripts" / "5-keys.js").read_text("utf-8")
DOCUMENT = (CHECKOUT / "docs" / "everyday.md").read_text("utf-8")
COMMANDS = re.findall(r'^    (\w+): \{ (?:code: "(\w+)", )?key: "(.)"', SCRIPT, re.MULTILINE)
NAMES = {"ArrowDown": "↓", "ArrowUp": "↑", "PageDown": "Page Down", "PageUp": "Page Up", "Slash": "/", "Period": "."}
TABLE = "\n".join(line for line in DOCUMENT.splitlines() if line.startswith("|"))


def test_there_are_commands() -> None:
    assert {"next_persona", "previous_persona", "search", "write", "list"} <= {name for name, _, _ in COMMANDS}


@pytest.mark.parametrize(("name", "code", "key"), COMMANDS)
def test_each_command_is_told_in_both_languages_and_in_the_document(name: str, code: str, key: str) -> None:
    for lang in ("ja", "en"):
        assert texts("ja" if lang == "ja" else "en")(f"keys.script.{name}")
    assert f"`{key}`" in TABLE
    if code:
        assert f"Alt {NAMES[code]}" in TABLE
        assert f"⌥⌘{NAMES[code]}" in TABLE.replace("⌥⌘ ", "⌥⌘")


def test_no_key_does_two_things() -> None:
    for keys in ([key for _, _, key in COMMANDS], [code for _, code, _ in COMMANDS if code]):
        assert len(keys) == len(set(keys))
    assert "g" not in [key for _, _, key in COMMANDS]


def test_every_text_of_the_script_is_there_and_used() -> None:
    section = texts("en").section("keys.script")
    used = set(re.findall(r"\bt\.(\w+)|texts\(\)\.(\w+)", SCRIPT))
    words = {one or other for one, other in used} | {name for name, _, _ in COMMANDS}
    assert words - {"keys"} == set(section)
