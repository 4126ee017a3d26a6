"""Both languages are complete, and no text of the page stands anywhere but in the locale files."""

import ast
import re
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

from managers.storage.paths import CHECKOUT
from ui.locales import LANGUAGES, Texts, UndefinedTextError, choose_language, texts

JAPANESE = re.compile(r"[ぁ-ヿ一-鿿]")
SAME_IN_BOTH = {"mind.gemini", "mind.anthropic", "mind.openrouter"}
"""Proper names."""
UI_MODULES = sorted(set((CHECKOUT / "ui").rglob("*.py")) - {CHECKOUT / "ui" / "errors.py"})
"""Without the errors, which say their own sentences in both languages, as those of every floor do."""
TEMPLATES = sorted((CHECKOUT / "ui").rglob("*.html"))
COMMANDS = r"make run|\.venv/bin/python app\.py access|python app\.py backup restore +--to ~/Utatane-"
"""What is typed, in any language."""
OWN_NAME_OF_A_LANGUAGE = {"日本語", "English"}


def facts_of(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


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


def test_both_languages_have_the_same_texts_with_the_same_facts() -> None:
    ja, en = texts("ja"), texts("en")
    assert ja.keys == en.keys
    raw_ja, raw_en = ({f"{s}.{k}": v for s in sections(t) for k, v in t.section(s).items()} for t in (ja, en))
    optional = {"month", "month_name"}  # each language names the month in its own way
    different = {key for key in raw_ja if (facts_of(raw_ja[key]) ^ facts_of(raw_en[key])) - optional}
    assert not different


def sections(t: Texts) -> set[str]:
    return {key.split(".")[0] for key in t.keys}


def test_no_text_was_left_untranslated() -> None:
    ja, en = texts("ja"), texts("en")
    for section in sections(ja):
        for key, japanese in ja.section(section).items():
            english = en.section(section)[key]
            if f"{section}.{key}" in SAME_IN_BOTH:
                continue
            has_words = any(character.isalpha() for character in re.sub(r"{.*?}", "", japanese))
            assert JAPANESE.search(japanese) or not has_words, f"{section}.{key} is not Japanese: {japanese}"
            assert not JAPANESE.search(english), f"{section}.{key} is not English: {english}"


@pytest.mark.parametrize("module", UI_MODULES, ids=lambda path: str(path.relative_to(CHECKOUT)))
def test_no_words_for_people_stand_in_the_code(module: Path) -> None:
    for text in strings_of(module):
        if text in OWN_NAME_OF_A_LANGUAGE:
            continue
        assert not JAPANESE.search(text), f"a Japanese text: {text!r}"
        between_tags = " ".join(re.findall(r">([^<>{}]*)<", text))
        assert not re.search(r"[A-Za-z]{2,}", between_tags), f"an English text: {text!r}"


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: str(path.relative_to(CHECKOUT)))
def test_no_words_for_people_stand_in_a_template(template: Path) -> None:
    text = re.sub(r"{#.*?#}|{%.*?%}|{{.*?}}", "", template.read_text("utf-8"), flags=re.DOTALL)
    text = re.sub(r"<(style|script)\b.*?</\1>", "", text, flags=re.DOTALL)
    between_tags = " ".join(re.findall(r">([^<>]*)<", text))
    labels = " ".join(re.findall(r'(?:aria-label|title|placeholder|alt)="([^"]*)"', text))
    words = re.sub(COMMANDS, "", f"{between_tags} {labels}")
    assert not re.search(r"[^\W\d_]{2,}", words), words.strip()


def test_an_undefined_text_is_an_error() -> None:
    with pytest.raises(UndefinedTextError):
        texts("ja")("chat.no_such_text")
    with pytest.raises(UndefinedTextError):
        texts("ja")("chat.placeholder")  # its name is missing


@pytest.mark.parametrize(
    ("wish", "browser", "expected"),
    [
        ("", "ja-JP,ja;q=0.9,en;q=0.8", "ja"),
        ("", "en-GB,en;q=0.9,ja;q=0.8", "en"),
        ("", "fr,ja;q=0.3,en;q=0.7", "en"),
        ("", "en;q=0,ja;q=0.1", "ja"),
        ("", "de", "en"),
        ("", "", "en"),
        ("", "ja;q=much", "en"),
        ("ja", "en", "ja"),
        ("auto", "ja", "ja"),
    ],
)
def test_the_language_is_the_wish_or_the_browsers(wish: str, browser: str, expected: str) -> None:
    assert choose_language(wish, browser) == expected
    assert expected in LANGUAGES
