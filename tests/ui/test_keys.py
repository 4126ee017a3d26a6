"""What the keyboard does is told in both languages, on the page and in the documents."""

import re

from managers.storage.paths import CHECKOUT
from ui.locales import LANGUAGES, texts

SCRIPT = (CHECKOUT / "ui" / "static" / "scripts" / "5-keys.js").read_text("utf-8")
DOCUMENT = (CHECKOUT / "docs" / "everyday.md").read_text("utf-8")
COMMANDS = re.findall(r'^    (\w+): \{ (?:code: "(\w+)", )?key: "(.)"', SCRIPT, re.MULTILINE)
NAMES = {"ArrowDown": "↓", "ArrowUp": "↑", "PageDown": "Page Down", "PageUp": "Page Up", "Slash": "/", "Period": "."}


def test_each_command_has_keys_of_its_own_and_is_told_in_both_languages_and_in_the_document() -> None:
    assert {"next_persona", "previous_persona", "search", "write", "list"} <= {name for name, _, _ in COMMANDS}
    table = "\n".join(line for line in DOCUMENT.splitlines() if line.startswith("|"))
    for name, code, key in COMMANDS:
        assert all(texts(lang)(f"keys.script.{name}") for lang in LANGUAGES)
        assert f"`{key}`" in table
        if code:
            assert f"Alt {NAMES[code]}" in table
            assert f"⌥⌘{NAMES[code]}" in table.replace("⌥⌘ ", "⌥⌘")
    for keys in ([key for _, _, key in COMMANDS], [code for _, code, _ in COMMANDS if code]):
        assert len(keys) == len(set(keys))
    assert "g" not in [key for _, _, key in COMMANDS]


def test_every_text_of_the_script_is_there_and_used() -> None:
    used = set(re.findall(r"\bt\.(\w+)|texts\(\)\.(\w+)", SCRIPT))
    words = {one or other for one, other in used} | {name for name, _, _ in COMMANDS}
    assert words - {"keys"} == set(texts("en").section("keys.script"))
