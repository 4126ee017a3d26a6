"""Messages that are hardly words: nothing, signs, pictures, code, a flood of characters, the same once more."""

from __future__ import annotations

import re
from datetime import timedelta

from agent.minds.builtin.talk.quotation import for_quoting
from agent.minds.builtin.talk.scene import Scene, has_code, has_link, is_foreign, readable
from managers.language.emotion import NEGATIVE, read_emotion

_EMOJI = re.compile(r"[\U0001F000-\U0001FAFF☀-➿❤♪♡️‍]+")
_CODE = re.compile(r"(?:[{};=()<>]{1}[^\n]*){6,}|^\s*(?:import|def|function|const|var|select|curl|sudo)\b", re.IGNORECASE | re.MULTILINE)  # fmt: skip
_TAGS = re.compile(r"<[A-Za-z!/][^>]*>")


def answer_oddity(scene: Scene) -> str | None:  # noqa: PLR0911  # one return per reason reads best
    """Answer what is no ordinary message: nothing, signs, pictures, code, a flood of characters."""
    raw = scene.request.message.text
    text = scene.message
    bare = _EMOJI.sub("", text)
    if is_foreign(text):
        return scene.book.say("small", "foreign")
    if not any(char.isalnum() for char in bare):
        if has_link(raw) and not has_code(raw):
            return scene.book.say("small", "link")
        if has_code(raw):
            return scene.book.say("small", "code")
        if _CODE.search(raw) or _TAGS.search(raw):
            return scene.book.say("small", "code")
        if _EMOJI.search(text) or re.search(r"[()（）^;:_ω´｀・]{3}", text):
            reading = read_emotion(text).emotion
            if reading == "tired":
                return scene.book.say("small", "emoji_tired")
            key = "emoji_bad" if reading in NEGATIVE else "emoji_good" if reading in ("joy", "happy") else "emoji"
            return scene.book.say("small", key)
        is_noise = len(re.sub(r"[…。、.!?！？\s・ー〜~-]", "", raw)) > 3  # noqa: PLR2004  # a few marks are a mood, many are noise
        return scene.book.say("small", "garbled" if is_noise else "silence")
    if _is_garbled(raw, text):
        return scene.book.say("small", "garbled")
    if _is_gibberish(text):
        return scene.book.say("small", "garbled")
    if _CODE.search(text) and len(scene.read.told) < 2:  # noqa: PLR2004  # code with an explanation is a message
        return scene.book.say("small", "code")
    if _is_repeated(scene, text):
        return scene.book.say("small", "repeat", quote=for_quoting(text, scene.lang, 60))
    return None


def _is_repeated(scene: Scene, text: str) -> bool:
    """Tell what is said twice in a row; a question asked again is answered again, and "yes" may be said twice."""
    if len(text) <= 3 or scene.read.questions or scene.request.recall_wanted or scene.read.act("task", "cannot"):  # noqa: PLR2004  # letters
        return False
    said = [turn for turn in scene.request.turns if turn.role == "user"][:-1]
    if not said or readable(said[-1].text) != text:
        return False
    return said[-1].time is None or scene.request.now - said[-1].time < _REPEATS


_REPEATS = timedelta(hours=1)
_RUN = re.compile(r"[bcdfghjklmnpqrstvwxz]{5,}", re.IGNORECASE)
_FEW = 4


def _is_gibberish(text: str) -> bool:
    """Tell a hand on the keyboard ("asdfgh jkl") from words: no vowels for too long, in every word of a few."""
    pieces = re.findall(r"[A-Za-z]+", text)
    if not 0 < len(pieces) <= _FEW or any(ord(char) > 0x2E80 for char in text) or text.isupper():  # noqa: PLR2004  # CJK
        return False
    is_hard = [bool(_RUN.search(piece)) or not re.search(r"[aeiouy]", piece, re.IGNORECASE) for piece in pieces]
    return all(is_hard) and any(_RUN.search(piece) for piece in pieces) and "ngth" not in text.lower()


def _is_garbled(raw: str, text: str) -> bool:
    sample = raw[:4000]
    unprintable = sum(not char.isprintable() and char not in "\n\r\t" for char in sample) + sample.count("\ufffd")
    if unprintable > 0.1 * len(sample):
        return True
    longest = max((len(piece) for piece in text[:4000].split()), default=0)
    latin = sum(char.isascii() for char in text[:4000])
    if longest > 60 and latin > 0.9 * len(text[:4000]) and "http" not in text and " " not in text.strip()[:longest]:  # noqa: PLR2004  # no word is as long
        return True
    letters = [char for char in text[:400] if char.isalpha()]
    return len(letters) > 30 and len(set(letters)) <= 3  # noqa: PLR2004  # "ああああ…" for lines on end
