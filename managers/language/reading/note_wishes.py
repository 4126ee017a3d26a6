"""A wish that something be noted, and what it wants noted: 「来週の面接を覚えておいて」, "please remember that I am allergic".

The rules are in `notes.toml`.
"""

import unicodedata

from managers.language.reading.rules import fits, rule
from managers.language.words import sentences

LONGEST_NOTE = 600
_SHORT = 8


def read_note_wish(message: str, previous: str) -> str | None:
    """Return what the user wants kept; empty where the wish does not say what, None if there is no such wish.

    Args:
        message: the message.
        previous: the user's message before, for "remember that".
    """
    plain = unicodedata.normalize("NFKC", message).strip()
    wish = _japanese_wish(plain, previous)
    wish = _english_wish(plain, previous) if wish is None else wish
    return None if wish is None else clean(wish)


def _japanese_wish(plain: str, previous: str) -> str | None:
    if not fits("ja", "notes", "may_be", plain) or fits("ja", "notes", "asks_back", plain):
        return None
    if match := rule("ja", "notes", "before").match(plain):
        return match["what"]
    said = sentences(plain)
    for at, sentence in enumerate(said):
        if fits("ja", "notes", "alone", sentence):
            return "".join(said[:at]).strip() or previous
        if match := rule("ja", "notes", "after").match(sentence):
            return match["what"]
    return None


def _english_wish(plain: str, previous: str) -> str | None:
    said = [sentence.replace("’", "'") for sentence in sentences(plain)]
    for at, text in enumerate(said):
        is_question = text.endswith("?")
        match = rule("en", "notes", "tells").match(text)
        if match is None:
            back = None if is_question else rule("en", "notes", "points_back").match(text)
            if back is not None:
                return back["what"]
            continue
        what = match["what"].strip()
        is_asked = is_question and not fits("en", "notes", "requests", text)
        if is_asked or fits("en", "notes", "no_note", what):
            continue
        if fits("en", "notes", "empty", what):
            return " ".join(said[:at]).strip() or " ".join(said[at + 1 :]).strip() or previous
        return " ".join([what, *said[at + 1 :]]) if text.rstrip().endswith(":") else what
    return None


def clean(text: str) -> str:
    """Return what is to be noted on one line, without quotation marks, closing punctuation and the tail of a request."""
    text = " ".join(text.split()).strip('「」『』“”" 　、,:：')
    text = rule("ja", "notes", "tail").sub("", text) if len(text) > _SHORT else text  # very short ones are left alone
    return text.rstrip("。.!！?？、, ")[:LONGEST_NOTE]
