"""Put placeholders where something private stands, and put it back where they come back.

One `Mask` serves one prompt: the same address has the same placeholder wherever it stands, and several of a kind are
numbered (`[REDACTED_EMAIL]`, `[REDACTED_EMAIL_2]`), so that an answer can be put right for the person who asked.
A placeholder that somebody wrote themselves is treated like a thing to be hidden, so nothing is ever confused.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, get_args

from managers.language.masking.detection import Found, MaskedKind, find, find_people
from managers.language.reading.concern import every_help_line

_KINDS: Final[Mapping[str, MaskedKind]] = {kind: kind for kind in get_args(MaskedKind)}
_PLACEHOLDER: Final = re.compile(rf"\[REDACTED_({'|'.join(_KINDS)})(?:_(?:[2-9]|[1-9]\d{{1,5}}))?\]")
_ESCAPED: Final = re.compile(r"\\?\[REDACTED(?:\\?_[A-Z]{2,5}){1,2}(?:\\?_\d{1,6})?\\?\]")
"""A placeholder as a model may write it in Markdown."""
_BEGUN: Final = re.compile(r"\\?(?:\[[A-Z0-9_\\]{0,32})?\Z")
"""The end of a text that may become a placeholder with what follows."""
_HEAD: Final = "[REDACTED_"


@dataclass(frozen=True, slots=True)
class Masked:
    """A text that may be shown to others, and what each of its placeholders stands for."""

    text: str
    replacements: Mapping[str, str]


def mask(
    text: str, *, names: bool = False, known: frozenset[str] = frozenset(), spared: frozenset[str] = frozenset()
) -> Masked:
    """Return a text with placeholders."""
    used = Mask(names=names, known=known, spared=spared)
    return Masked(used.hide(text), dict(used.replacements))


def unmask(text: str, replacements: Mapping[str, str]) -> str:
    """Return a text with what its placeholders stand for; unknown ones stay."""
    if _HEAD[1:] not in text.replace("\\", ""):
        return text
    return _ESCAPED.sub(lambda found: replacements.get(found[0].replace("\\", ""), found[0]), text)


def placeholders_in(text: str) -> set[MaskedKind]:
    """Return what kinds of placeholders a text holds."""
    return {_KINDS[one[1]] for one in _PLACEHOLDER.finditer(text)}


class Mask:
    """What was hidden in one prompt, and how it is put back."""

    def __init__(
        self, *, names: bool = False, known: frozenset[str] = frozenset(), spared: frozenset[str] = frozenset()
    ) -> None:
        self.replacements: dict[str, str] = {}
        self._names, self._known, self._spared = names, known, spared
        self._placeholders: dict[tuple[MaskedKind, str], str] = {}
        self._counts: dict[MaskedKind, int] = {}

    def hide(self, text: str) -> str:
        """Return a text with placeholders, the same ones for what was hidden before."""
        parts, at = [], 0
        for found in self._found(text):
            parts += [text[at : found.start], self._placeholder(found.kind, text[found.start : found.end])]
            at = found.end
        return "".join([*parts, text[at:]])

    def hide_in(self, value: Any) -> Any:  # noqa: ANN401  # any JSON
        """Return JSON with placeholders in all of its texts; keys are names of the program."""
        return _mapped(value, self.hide)

    def show(self, text: str) -> str:
        """Return a text with what its placeholders stand for."""
        return unmask(text, self.replacements)

    def show_in(self, value: Any) -> Any:  # noqa: ANN401  # any JSON
        """Return JSON with what the placeholders in its texts stand for."""
        return _mapped(value, self.show)

    def _found(self, text: str) -> Sequence[Found]:
        own = [Found(_KINDS[one[1]], *one.span()) for one in _PLACEHOLDER.finditer(text)] if _HEAD in text else []
        people = find_people(text, self._known) if self._names else ()
        chosen: list[Found] = []
        for one in sorted([*own, *find(text), *people], key=lambda one: (one.start, -one.end)):
            if (not chosen or one.start >= chosen[-1].end) and not self._is_spared(one, text[one.start : one.end]):
                chosen.append(one)
        return chosen

    def _is_spared(self, found: Found, value: str) -> bool:
        return value in self._spared or (found.kind == "PHONE" and _digits(value) in _of_help_lines())

    def _placeholder(self, kind: MaskedKind, value: str) -> str:
        known = self._placeholders.get((kind, value))
        if known is not None:
            return known
        count = self._counts[kind] = self._counts.get(kind, 0) + 1
        made = f"{_HEAD}{kind}]" if count == 1 else f"{_HEAD}{kind}_{count}]"
        self._placeholders[kind, value] = made
        self.replacements[made] = value
        return made


class Showing:
    """Puts back what placeholders stand for in a text that comes in pieces, which may cut them anywhere."""

    def __init__(self, used: Mask) -> None:
        self._used = used
        self._held = ""

    def feed(self, piece: str) -> str:
        """Return what is certain; what may be the beginning of a placeholder waits for the next piece."""
        text = self._held + piece
        begun = _BEGUN.search(text)
        cut = begun.start() if begun and _may_become(begun[0]) else len(text)
        self._held = text[cut:]
        return self._used.show(text[:cut])

    def finish(self) -> str:
        """Return what was held back."""
        rest, self._held = self._held, ""
        return self._used.show(rest)


@cache
def _of_help_lines() -> frozenset[str]:
    """Return the digits of the help lines' numbers: nobody's secret, and whoever needs one must be given it whole."""
    told = "\n".join(f"{line.contact}\n{line.hours}" for line in every_help_line())
    return frozenset(_digits(told[one.start : one.end]) for one in find(told) if one.kind == "PHONE")


def _digits(written: str) -> str:
    return "".join(str(int(letter)) for letter in written if letter.isdecimal())


def _may_become(text: str) -> bool:
    plain = text.replace("\\", "")
    return bool(text) and (_HEAD.startswith(plain) or plain.startswith(_HEAD))


def _mapped(value: Any, change: Any) -> Any:  # noqa: ANN401  # any JSON
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {key: _mapped(held, change) for key, held in value.items()}
    if isinstance(value, list | tuple):
        return [_mapped(held, change) for held in value]
    return value
