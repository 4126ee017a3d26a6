"""Messages that are hardly words: nothing, signs, pictures, code, a flood of characters, another language, the same again."""

from datetime import timedelta

from agent.minds.builtin.talk.quotation import for_quoting, readable
from agent.minds.builtin.talk.scene import Scene
from managers.language.emotion import NEGATIVE, read_emotion
from managers.language.lexicons import load, word_set
from managers.language.reading.rules import fits, rule

_REPEATS = timedelta(hours=1)
_SAMPLE = 4000
_FEW_WORDS = 4
_LONGEST_WORD = 60
_FIRST_CJK = "\u2e80"
_GLAD = ("joy", "happy")


def answer_unreadable(scene: Scene) -> str | None:
    """Answer what is no ordinary message; None if it is one."""
    raw, text = scene.request.message.text, scene.message
    if is_foreign(text):
        return scene.book.say("small", "foreign")
    if not any(char.isalnum() for char in rule("en", "markup", "emoji").sub("", text)):
        return scene.book.say("small", _wordless(raw, text))
    if _is_garbled(raw, text) or _is_gibberish(text):
        return scene.book.say("small", "garbled")
    if (_has("code", text) or _has("code_line", text)) and len(scene.read.told) < 2:  # noqa: PLR2004  # code with an explanation is a message
        return scene.book.say("small", "code")
    if _is_repeated(scene, text):
        return scene.book.say("small", "repeat", quote=for_quoting(text, scene.lang, 60))
    return None


def _has(name: str, text: str) -> bool:
    return fits("en", "markup", name, text)


def _wordless(raw: str, text: str) -> str:
    is_block = _has("past_fence", raw)
    if _has("past_link", raw) and not is_block:
        return "link"
    if is_block or _has("code", raw) or _has("a_tag", raw):
        return "code"
    if _has("emoji", text) or _has("face", text):
        felt = read_emotion(text).emotion
        if felt == "tired":
            return "emoji_tired"
        return "emoji_bad" if felt in NEGATIVE else "emoji_good" if felt in _GLAD else "emoji"
    is_noise = len(rule("en", "markup", "silence").sub("", raw)) > 3  # noqa: PLR2004  # a few marks are a mood
    return "garbled" if is_noise else "silence"


def is_foreign(text: str) -> bool:
    """Tell a message in a language that this mind does not speak."""
    sample = text[:2000]
    has_kana = _has("kana", text)
    letters = sum(char.isalpha() for char in sample)
    if len(rule("en", "markup", "other_script").findall(sample)) > letters / 2:
        return True
    if not has_kana and len(set(text) & word_set("foreign", "words", "chinese")) > 1:
        return True
    said = set(rule("en", "markup", "latin_letters").findall(sample.lower().replace("’", "'")))
    english = said & (word_set("en/lexicon", "kinds", "function") | word_set("en/lexicon", "kinds", "pronoun"))
    others = [lang for lang in load("foreign")["words"] if lang != "chinese"]
    most = max((said & word_set("foreign", "words", lang) for lang in others), key=len)
    return len(most) > 1 and len(most - english) > len(english - most) and not has_kana


def _is_repeated(scene: Scene, text: str) -> bool:
    """Tell what is said twice in a row; a question asked again is answered again, and "yes" may be said twice."""
    is_asked = bool(scene.read.questions) or scene.request.recall_wanted or scene.read.act("task", "cannot")
    said = [turn for turn in scene.request.turns if turn.role == "user"][:-1]
    if len(text) <= 3 or is_asked or not said or readable(said[-1].text) != text:  # noqa: PLR2004  # letters
        return False
    return said[-1].time is None or scene.request.now - said[-1].time < _REPEATS


def _is_gibberish(text: str) -> bool:
    """Tell a hand on the keyboard ("asdfgh jkl") from words: no vowels for too long, in every word of a few."""
    pieces = rule("en", "markup", "latin_word").findall(text)
    if not 0 < len(pieces) <= _FEW_WORDS or any(char > _FIRST_CJK for char in text) or text.isupper():
        return False
    runs = [_has("consonants", piece) for piece in pieces]
    is_hard = all(run or not _has("vowel", piece) for run, piece in zip(runs, pieces, strict=True))
    return is_hard and any(runs) and "ngth" not in text.lower()


def _is_garbled(raw: str, text: str) -> bool:
    """Tell unprintable characters, a word longer than any, and the same few letters for lines on end."""
    sample = raw[:_SAMPLE]
    unprintable = sum(not char.isprintable() and char not in "\n\r\t" for char in sample) + sample.count("\ufffd")
    if unprintable > 0.1 * len(sample):
        return True
    sample = text[:_SAMPLE]
    longest = max((len(piece) for piece in sample.split()), default=0)
    is_latin = sum(char.isascii() for char in sample) > 0.9 * len(sample)
    if longest > _LONGEST_WORD and is_latin and "http" not in text and " " not in text.strip()[:longest]:
        return True
    letters = [char for char in text[:400] if char.isalpha()]
    return len(letters) > 30 and len(set(letters)) <= 3  # noqa: PLR2004  # "ああああ…"
