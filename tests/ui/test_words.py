"""Both languages are complete, and no text of the page stands anywhere but in the locale files; keys; which language a page speaks."""

import ast
import re
import string
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from agent.services import Services
from managers.storage.paths import CHECKOUT
from tests.ui.reading import press, read
from tests.ui.rooms import NAME
from tests.ui.visitors import visitor_of
from ui.locales import LANGUAGES, UndefinedTextError, choose_language, texts
from ui.server.addresses import address_of

JAPANESE = re.compile(r"[ぁ-ヿ一-鿿]")
SAME_IN_BOTH = {"mind.gemini", "mind.anthropic", "mind.openrouter"}
"""Proper names."""
COMMANDS = r"make run|http://127\.0\.0\.1:11434/v1 bge-m3|\.venv/bin/python app\.py access|python app\.py backup restore +--to ~/Utatane-"
"""What is typed, in any language."""
OWN_NAME_OF_A_LANGUAGE = {"日本語", "English"}
TALK = address_of(NAME)


def facts_of(text: str) -> set[str]:
    optional = {"month", "month_name"}  # each language names the month in its own way
    return {name for _, name, _, _ in string.Formatter().parse(text) if name} - optional


def strings_of(module: Path) -> Iterator[str]:
    """The string constants of a module that are no docstrings."""
    tree = ast.parse(module.read_text(encoding="utf-8"))
    documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    docstrings = {
        id(body.value)
        for node in ast.walk(tree)
        if isinstance(node, documented)
        for body in node.body
        if isinstance(body, ast.Expr) and isinstance(body.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.value


def test_both_languages_have_the_same_texts_with_the_same_facts_each_in_its_own_words() -> None:
    ja, en = texts("ja"), texts("en")
    assert ja.keys == en.keys
    wrong = []
    for section in {key.split(".")[0] for key in ja.keys}:
        english = en.section(section)
        for key, japanese in ja.section(section).items():
            has_words = any(character.isalpha() for character in re.sub(r"{.*?}", "", japanese))
            is_translated = (JAPANESE.search(japanese) or not has_words) and not JAPANESE.search(english[key])
            if not is_translated and f"{section}.{key}" not in SAME_IN_BOTH:
                wrong.append(f"{section}.{key} is not translated")
            if facts_of(japanese) != facts_of(english[key]):
                wrong.append(f"{section}.{key} tells other facts")
    assert wrong == []


def test_no_words_for_people_stand_in_the_code_or_in_a_template() -> None:
    wrong = list[tuple[str, str]]()
    # Errors say their own sentences in both languages, as those of every floor do.
    for module in sorted(set((CHECKOUT / "ui").rglob("*.py")) - {CHECKOUT / "ui" / "errors.py"}):
        for text in strings_of(module):
            between_tags = " ".join(re.findall(r">([^<>{}]*)<", text))
            has_words = JAPANESE.search(text) or re.search(r"[A-Za-z]{2,}", between_tags)
            if has_words and text not in OWN_NAME_OF_A_LANGUAGE:
                wrong.append((module.name, text))
    for template in sorted((CHECKOUT / "ui").rglob("*.html")):
        text = re.sub(r"{#.*?#}|{%.*?%}|{{.*?}}", "", template.read_text("utf-8"), flags=re.DOTALL)
        text = re.sub(r"<(style|script)\b.*?</\1>", "", text, flags=re.DOTALL)
        between_tags = " ".join(re.findall(r">([^<>]*)<", text))
        labels = " ".join(re.findall(r'(?:aria-label|title|placeholder|alt)="([^"]*)"', text))
        words = re.sub(COMMANDS, "", f"{between_tags} {labels}")
        if re.search(r"[^\W\d_]{2,}", words):
            wrong.append((template.name, words.strip()))
    assert wrong == []


def test_an_undefined_text_is_an_error() -> None:
    for undefined in ("chat.no_such_text", "chat.placeholder"):  # the name of the latter is missing
        with pytest.raises(UndefinedTextError):
            texts("ja")(undefined)


def test_the_language_is_the_wish_or_the_browsers() -> None:
    for wish, browser, expected in (
        ("", "ja-JP,ja;q=0.9,en;q=0.8", "ja"),
        ("", "en-GB,en;q=0.9,ja;q=0.8", "en"),
        ("", "fr,ja;q=0.3,en;q=0.7", "en"),
        ("", "en;q=0,ja;q=0.1", "ja"),
        ("", "ja;q=much", "en"),
        ("ja", "en", "ja"),
    ):
        assert choose_language(wish, browser) == expected


def language(visitor: TestClient, wish: str) -> str:
    page = read(visitor.get(TALK, headers={"accept-language": wish}))
    assert page.one("#talk-tab").text == {"ja": "おしゃべり", "en": "Talk"}[page.one("html").attributes["lang"]]
    return page.one("html").attributes["lang"]


def test_what_was_chosen_comes_before_the_settings_before_the_browser(services: Services) -> None:
    visitor, other = visitor_of(services), visitor_of(services)
    assert (language(visitor, "ja-JP,ja;q=0.9,en;q=0.5"), language(visitor, "en-GB,en")) == ("ja", "en")
    for back in ("//evil.example", "https://evil.example", "/\\evil.example"):
        answer = visitor.post("/language", data={"language": "xx", "back": back})
        assert answer.headers["location"] == "/"
    services.settings_file.change("page", language="en")
    assert language(visitor, "ja") == "en"
    answer = press(visitor, read(visitor.get(f"{TALK}?off_record=1")), 'button[value="ja"]')
    assert (quote(answer.url.path), answer.url.params["off_record"]) == (TALK, "1")  # where one was
    assert language(visitor, "en") == "ja"
    assert language(other, "ja") == "en"  # another browser has not chosen


SCRIPT = (CHECKOUT / "ui" / "static" / "scripts" / "5-keys.js").read_text("utf-8")
DOCUMENT = (CHECKOUT / "docs" / "everyday.md").read_text("utf-8")
KEYS = re.findall(r'^    (\w+): \{ (?:code: "(\w+)", )?key: "(.)"', SCRIPT, re.MULTILINE)
NAMES = {"ArrowDown": "↓", "ArrowUp": "↑", "PageDown": "Page Down", "PageUp": "Page Up", "Slash": "/", "Period": "."}


def test_each_command_has_keys_of_its_own_and_is_told_in_both_languages_and_in_the_document() -> None:
    assert {"next_persona", "previous_persona", "search", "write", "list"} <= {name for name, _, _ in KEYS}
    table = "\n".join(line for line in DOCUMENT.splitlines() if line.startswith("|"))
    for name, code, key in KEYS:
        assert all(texts(lang)(f"keys.script.{name}") for lang in LANGUAGES)
        assert f"`{key}`" in table
        if code:
            assert f"Alt {NAMES[code]}" in table
            assert f"⌥⌘{NAMES[code]}" in table.replace("⌥⌘ ", "⌥⌘")
    for keys in ([key for _, _, key in KEYS], [code for _, code, _ in KEYS if code]):
        assert len(keys) == len(set(keys))
    assert "g" not in [key for _, _, key in KEYS]


def test_every_text_of_the_script_is_there_and_used() -> None:
    used = set(re.findall(r"\bt\.(\w+)|texts\(\)\.(\w+)", SCRIPT))
    words = {one or other for one, other in used} | {name for name, _, _ in KEYS}
    assert words - {"keys"} == set(texts("en").section("keys.script"))
