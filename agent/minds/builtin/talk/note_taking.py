"""Keeping notes when told to: reading what to keep, and the tool call that keeps it."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime

from agent.minds.builtin.talk.quotation import for_quoting
from agent.minds.builtin.talk.voice import Voice
from managers.language.times import find_times, without_times
from managers.language.words import content_words, sentences
from managers.mind import ReplyRequest, ToolCall

TOOL = "edit_notepad"
_MAX_NOTE = 600

_KEEP_JA = r"(?:覚えて(?:おいて|おけ|といて|てください|て(?![るいた])|ください|ほしい|ね(?!え)|くれ|もらえ)|おぼえて(?:おいて|といて|てね?)|記憶して(?:おいて|ください)|メモ(?:を)?(?:して|し?とい?て|っといて|っておいて|に書いて|取って)|書き留めて|控えて(?:おいて|ください)|忘れないで(?:いて|ください|ね)?)"
_TAIL_JA = r"(?:おいて|いて|て)?(?:ね|よ|ください(?:ね)?|ほしい(?:な|です|んだ)?|くれ(?:る|ない|ます|ませんか)?(?:か)?|もらえ(?:る|ます|ません)?(?:か)?|頂戴|ちょうだい)?[。！!？?～〜ー♪ ]*$"
_AFTER_JA = re.compile(
    rf"^(?P<what>.+?)(?:って(?:こと(?:を|は|も)?)?、?|という(?:こと|の)を|ということ、|ことを|こと、|のを|を|は|と|、|:|：)?\s*(?:よく|ちゃんと|しっかり|必ず|絶対(?:に)?|一応)?{_KEEP_JA}{_TAIL_JA}",
    re.DOTALL,
)
_BEFORE_JA = re.compile(
    rf"^(?:これ(?:を|は)?|次のこと(?:を|は)?|ね+え?、?)?\s*(?:{_KEEP_JA}{_TAIL_JA.replace('[。！!？?～〜ー♪ ]*$', '')}|メモ)[、。:：！!\s]+(?P<what>.+)$",
    re.DOTALL,
)
_ALONE_JA = re.compile(
    rf"^(?:これ|それ|今の|今言ったこと|このこと|そのこと|ちゃんと|このことは?|ここまで)?(?:を|は|も|、)?\s*(?:よく|ちゃんと|しっかり)?{_KEEP_JA}{_TAIL_JA}"
)
_QUESTION_JA = re.compile(r"覚えて(?:る|い(?:る|ます)|た|ます|ない)[^。]*[？?か]|覚えて(?:る|ます|いる|います)(?:か)?$")

_POLITE_EN = r"(?:(?:please|also|and|oh|hey|ok|okay|so|just|could you|can you|would you|will you|i want you to|i'd like you to|i need you to|you should|try to)[, ]+)*(?:please )?"
_VERB_EN = r"(?:remember|note(?: down)?|make (?:a|yourself a) (?:mental )?note|take (?:a )?note|write (?:this |that |it )?down|jot (?:this |that |it )?down|keep in mind|bear in mind|don't forget|do not forget|memori[sz]e|save (?:this|that|a note)|add (?:this|that)? ?to your (?:notes|notepad|memory))"
_TELL_EN = re.compile(
    rf"^{_POLITE_EN}{_VERB_EN}(?: (?:of|about))?(?: (?:this|the following|for me))?(?:\s*[:,;–-]\s*|\s+(?:that\s+)?|$)(?P<what>.*)$",
    re.IGNORECASE | re.DOTALL,
)
_BACK_EN = re.compile(
    r"^(?P<what>.+?)[,;.–-]*\s+(?:so |and )?(?:please |pls |can you |could you )*"
    r"(?:remember|note|write|jot|keep|save) (?:that|this|it)(?: down| in mind)?(?:,? please| for me)?[.!?]*$",
    re.IGNORECASE,
)
_NOT_A_NOTE_EN = re.compile(
    r"^(?:when|how (?!to)|me\b|us\b|what (?:i|we|you) (?:said|told|talked|did)|who|the (?:time|day|first|last) (?:time )?(?:when|we|i)|that time|to (?:smile|breathe|relax)|\?)",
    re.IGNORECASE,
)
_POINTS_BACK_EN = re.compile(r"^(?:that|this|it|these|those)?[.! ]*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Wish:
    """A wish to have something remembered; empty where it does not say what."""

    text: str


def read_wish(message: str, previous: str) -> Wish | None:
    """Return what the user wants kept, or None.

    Args:
        message: the message.
        previous: the user's message before, for "remember that".
    """
    plain = unicodedata.normalize("NFKC", message).strip()
    return _japanese_wish(plain, previous) or _english_wish(plain, previous)


def _japanese_wish(plain: str, previous: str) -> Wish | None:
    if not re.search(r"覚え|おぼえ|記憶し|メモ|書き留め|控えて|忘れないで", plain) or _QUESTION_JA.search(plain):
        return None
    if match := _BEFORE_JA.match(plain):
        return Wish(_clean(match.group("what")))
    said = sentences(plain)
    for at, sentence in enumerate(said):
        if _ALONE_JA.match(sentence):
            context = "".join(said[:at]).strip() or previous.strip()
            return Wish(_clean(context))
        if match := _AFTER_JA.match(sentence):
            return Wish(_clean(match.group("what")))
    return None


def _english_wish(plain: str, previous: str) -> Wish | None:
    said = sentences(plain)
    for at, sentence in enumerate(said):
        text = sentence.replace("’", "'")
        match = _TELL_EN.match(text)
        if not match and (back := _BACK_EN.match(text)) and not text.endswith("?"):
            return Wish(_clean(back.group("what")))
        if not match or (text.endswith("?") and not re.match(r"(?:can|could|would|will) you", text, re.IGNORECASE)):
            continue
        what = match.group("what").strip()
        if _NOT_A_NOTE_EN.match(what):
            continue
        if _POINTS_BACK_EN.match(what):
            before, after = " ".join(said[:at]).strip(), " ".join(said[at + 1 :]).strip()
            return Wish(_clean(before or after or previous))
        return Wish(_clean(" ".join([what, *said[at + 1 :]]) if text.rstrip().endswith(":") else what))
    return None


def _clean(text: str) -> str:
    text = " ".join(text.split()).strip('「」『』“”" 　、,:：')
    text = re.sub(r"(?:だから|なので|ですので|ですから|だよ|だから、)?[、,]?$", "", text) if len(text) > 8 else text  # noqa: PLR2004  # leave very short ones alone
    return text.rstrip("。.!！?？、, ")[:_MAX_NOTE]


def note_text(wish: Wish, voice: Voice, asked: str = "") -> str:
    """Return the wish as the note reads: about the user, by name, nothing added.

    `asked` is what the user said before: a bare date or number says nothing without it.
    """
    about = (
        f" (「{for_quoting(asked, 'ja', 60)}」)"
        if voice.lang == "ja"
        else f" (after: “{for_quoting(asked, 'en', 60)}”)"
    )
    about = about if asked and _is_bare(wish.text) else ""
    if voice.lang == "ja":
        name = voice.you or "あなた"
        return (
            re.sub(r"(?<![一-龠ァ-ヶ])(?:私|わたし|僕|ぼく|俺|おれ|あたし)(?=[のはがもをに、])", name, wish.text)
            + about
        )
    return f"{voice.you or 'You'} said: “{for_quoting(wish.text, 'en', _MAX_NOTE)}”{about}"


def name_note(name: str, voice: Voice) -> str:
    """Return the note of a name that was given, as `introducing.name_noted` reads it."""
    return f"名前は「{name}」。" if voice.lang == "ja" else f"{name} said: “My name is {name}”"


def _is_bare(text: str) -> bool:
    """Tell whether a text is but a time or a number."""
    rest = without_times(text, find_times(text, datetime(2000, 1, 1)))
    return all(term.isdecimal() for term in content_words(rest))


def as_call(note: str, now: datetime, request: ReplyRequest) -> ToolCall:
    """Return the call that appends a dated line to the notepad."""
    return ToolCall(
        id=f"note-{request.message.id}", name=TOOL, arguments={"operation": "append", "text": f"{now:%Y-%m-%d} {note}"}
    )


def can_write(request: ReplyRequest) -> bool:
    """Tell whether the notepad may be written now (off the record it may not)."""
    return any(tool.name == TOOL for tool in request.tools)
