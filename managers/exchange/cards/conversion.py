"""What a card says as the words of a persona, and a persona's words as the fields of a card."""

from collections.abc import Mapping
from typing import Final, Literal, cast, get_args

from managers.exchange.cards.card import CardData
from managers.language.words import detect_language
from managers.storage.errors import Lang
from managers.storage.texts import Texts

PromptField = Literal[
    "system_prompt", "description", "personality", "scenario", "post_history_instructions", "mes_example"
]
PROMPT_FIELDS: Final[tuple[PromptField, ...]] = get_args(PromptField)
"""The fields that become `SystemPrompt.txt`, in the order in which they stand there: examples are what can be cut off."""

_say = Texts("prompts/card")


def language_of(data: CardData) -> Lang:
    """Return the language that a card is written in."""
    words = f"{data.description}\n{data.first_mes}\n{data.personality}\n{data.scenario}\n{data.system_prompt}"
    return detect_language(words or data.name, "en")


def prompt_of(data: CardData, lang: Lang) -> str:
    """Return who the persona is, as `SystemPrompt.txt` holds it: the fields that say something, each under a heading.

    Macros stay as they are. What is meant for people only (`creator_notes`) is no part of it.
    """
    parts = [(_heading(name, lang), even(getattr(data, name))) for name in PROMPT_FIELDS]
    return "".join(f"{heading}\n{text}\n\n" for heading, text in parts if text).strip("\n")


def fields_of(prompt: str, lang: Lang) -> Mapping[PromptField, str]:
    """Return a persona's words as the fields of a card: told apart by the headings, where they are still there.

    What stands before the first heading, or without any, is the description.
    """
    headings = {_heading(name, lang): name for name in PROMPT_FIELDS}
    found: dict[PromptField, list[str]] = {name: [] for name in PROMPT_FIELDS}
    into: PromptField = "description"
    for line in prompt.splitlines():
        if line.strip() in headings:
            into = headings[line.strip()]
        else:
            found[into].append(line)
    return {name: "\n".join(lines).strip("\n") for name, lines in found.items()}


def is_prompt_of(prompt: str, data: CardData) -> bool:
    """Tell whether a persona's words are still those that its card gave it, in whichever language."""
    return any(even(prompt) == even(prompt_of(data, lang)) for lang in cast("tuple[Lang, ...]", get_args(Lang)))


def even(text: str) -> str:
    """Return a text with line feeds alone, and nothing around it."""
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


def _heading(name: PromptField, lang: Lang) -> str:
    return _say(f"headings.{name}", lang)
