"""Text that does nothing but stand there: what a terminal would obey is taken out of it.

A terminal takes orders in the text that it shows: one writes the clipboard (OSC 52), others rename the window or send
the cursor back over what stands there. What is shown may come from a model, a document or somebody else's folder.
"""

import re

_ORDERS = r"\x00-\x08\x0b-\x1f\x7f-\x9f"
"""Control characters but newline and tab: C0, DELETE and C1, where one character stands for ESC and another."""
_TURNS = r"\u202a-\u202e\u2066-\u2069"
"""Embeddings, overrides and isolates of direction: they show a name backwards, which then reads as another."""
_BREAKS = r"\u2028\u2029"
"""Line breaks for some terminals, and for JavaScript that reads JSON."""
_UNSEEN = (
    r"\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\U000e0000-\U000e007f"
)
"""What nobody sees: direction, no width, fillers, tags that spell words. What joins letters and emoji is none of it."""

_MARKED = re.compile(f"[{_UNSEEN}]")
_TAKEN_OUT = re.compile(f"[{_ORDERS}{_TURNS}]")
_LINE_ENDS = re.compile(f"[{_BREAKS}]")
_WHITE = re.compile(f"[\n\t{_BREAKS}\r]+")
_UNESCAPED = re.compile(f"[{_ORDERS}{_TURNS}{_BREAKS}\ud800-\udfff]")


def printable(text: str) -> str:
    """Return the text without anything that a terminal obeys; newlines and tabs stay."""
    return _TAKEN_OUT.sub("", _LINE_ENDS.sub("\n", text))


def one_line(text: str) -> str:
    """Return the text as one line that a terminal obeys in nothing."""
    return _TAKEN_OUT.sub("", _WHITE.sub(" ", text)).strip()


def marked(text: str) -> str:
    """Return a text in which what nobody sees stands as its number: what is asked about is what is read."""
    return _MARKED.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", text)


def shown(name: str) -> str:
    """Return a file's name as a person may see it, whatever its bytes are."""
    return one_line(name.encode("utf-8", "replace").decode())


def escaped(line: str) -> str:
    """Return a line of JSON with those characters, and lone halves of emoji, written as JSON escapes: it means the same."""
    return _UNESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", line)
