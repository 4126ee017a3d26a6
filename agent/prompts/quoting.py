"""Words that are quoted to a mind: recalled, looked up, sent as a file. Records, however they are worded.

Every line of a quotation begins with the same mark, and a line without it is ours or the speaker's own. So nothing that is
quoted can pass for a heading, for somebody's turn, for a tool's result or for the end of the quotation: whatever
it holds, it stays within its lines.
"""

import re
from collections.abc import Sequence

from managers.memory.messages import NAMELESS
from managers.storage.errors import Lang
from managers.storage.texts import Texts

MARK = ">"
"""What every line of a quotation begins with."""
MAX_NAME = 60

_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters, but for tab and line feed
    "\u00ad\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"  # no width, direction, line separators
    "\U000e0000-\U000e007f\ud800-\udfff]"  # tags that spell words which nobody sees; halves of emoji
    "|(?<=[\ufe00-\ufe0f\U000e0100-\U000e01ef])[\ufe00-\ufe0f\U000e0100-\U000e01ef]+"  # the same with variation selectors
)
_TOKEN = re.compile(r"<(?=[|｜/<A-Za-z_])|\[(?=/?[A-Z_]{2,}\])")
"""Where a token begins that chat templates part turns with: `<|im_start|>`, `<start_of_turn>`, `</s>`, `[INST]`."""
_NOT_IN_NAME = re.compile(r"[^\w .,()~+&'・ー－-]+")

_say = Texts("prompts/quoting")


def plain(text: str) -> str:
    """Return a text without what nobody sees, and without what a chat template could take for a turn."""
    return _TOKEN.sub(lambda found: f"{found[0]} ", _UNSEEN.sub("", "\n".join(text.splitlines())))


def one_line(text: str) -> str:
    """Return a text, made plain, on one line."""
    return " ".join(plain(text).split())


def name_in_label(name: str) -> str:
    """Return a name (of a file, of somebody) that can stand in a line of ours: it closes nothing and says little."""
    tidy = " ".join(_NOT_IN_NAME.sub(" ", one_line(name)).split())
    return tidy if len(tidy) <= MAX_NAME else f"{tidy[: MAX_NAME - 1]}…"


def quoted(text: str) -> str:
    """Return a text with the mark before each of its lines."""
    lines = plain(text).strip("\n").split("\n")
    return "\n".join(f"{MARK} {line}".rstrip() for line in lines)


def passage(label: str, text: str) -> str:
    """Return a quotation under a line of ours that says whose it is."""
    return f"[{label}]\n{quoted(text)}"


def frame(lang: Lang, user: str, blocks: Sequence[str], *, present: Sequence[str] = (), has_words: bool = True) -> str:
    """Return what stands before the words of a message; empty where there is nothing to say.

    Args:
        lang: of the talk.
        user: whose words follow.
        blocks: passages, with our own headings in brackets.
        present: what is ours and is no quotation, under such headings.
        has_words: whether words follow at all.
    """
    name = name_in_label(user) or NAMELESS[lang]
    if not blocks:
        return "\n".join([*present, _say("speaks", lang, user=name)]) if present else ""
    close = _say("closes" if has_words else "wordless", lang, user=name)
    return "\n".join([*present, _say("opens", lang, user=name), *blocks, close])
