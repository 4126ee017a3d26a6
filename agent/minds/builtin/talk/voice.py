"""A persona's way of speaking, read from its sheet: what it calls itself and the user, and how its sentences end."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from agent.minds.builtin.talk.quotation import outside_quotes
from managers.language.lexicons import load
from managers.mind import Sheet
from managers.storage.errors import Lang

_QUOTED = re.compile(r"[「『]([^」』]*)[」』]")
_HONORIFIC = re.compile(r"(?:さん|くん|君|ちゃん|様|さま|先生|先輩|殿|氏|たん)$")
_KANA = re.compile(r"[ぁ-んァ-ヶー]+")
_NO_KEIGO = re.compile(r"(?:敬語|丁寧語|です・ます)(?:は|を|も)?(?:使わ|つかわ|話さ|なし|ではな|じゃな|禁止)")
_MURMUR_JA = re.compile(
    r"((?:「[^」]{1,6}」)+)(?:と|という|など|といった)?[^。\n]{0,8}(?:声|つぶやき|つぶやく|あくび|ため息|寝言)"
)
_MURMUR_EN = re.compile(
    r"[\"“]([A-Za-z]{1,8})[\"”] (?:may|might|will|often|sometimes|now and then|can) (?:slip|escape|come)", re.IGNORECASE
)
_END = r"(?=[。！!…]|$|\n)"
_MARK = "\ue001"
"""Stands behind what a rule wrote at an end, so that no later rule changes it again."""


@dataclass(frozen=True, slots=True)
class Voice:
    """How a persona speaks in one language.

    Attributes:
        lang: the language that it speaks now: the user's.
        name: the persona's own.
        i: what it calls itself (Japanese; in English always "I").
        you: what it calls the user; empty where no name is known.
        polite: Japanese です・ます, or the formal register in English.
        quirk: the name of a way to end sentences (`voices.toml`), or the ending itself after `+`; or empty.
        murmurs: sounds that slip out now and then (a yawn), by the sheet's own words.
    """

    lang: Lang
    name: str
    i: str
    you: str
    polite: bool
    quirk: str = ""
    murmurs: tuple[str, ...] = ()

    @property
    def joint(self) -> str:
        """What stands between two sentences."""
        return "" if self.lang == "ja" else " "

    @property
    def bullet(self) -> str:
        """What stands before a line of a list."""
        return "・" if self.lang == "ja" else "- "

    def quoted(self, text: str) -> str:
        """Return words between quotation marks."""
        return f"「{text}」" if self.lang == "ja" else f"“{text}”"

    def finish(self, text: str) -> str:
        """Give the finished words the persona's own sentence endings; quotations stay as they are."""
        if not self.quirk or self.lang != "ja":
            return text
        return outside_quotes(text, self._with_endings)

    def _with_endings(self, text: str) -> str:
        for pattern, replacement in _rules(self.quirk):
            text = pattern.sub(replacement, text)
        return text.replace(_MARK, "")

    def without_quirk(self) -> Voice:
        """Return the same voice, grave: for moments when a playful ending would hurt."""
        return Voice(self.lang, self.name, self.i, self.you, self.polite, "")


@lru_cache(maxsize=32)
def _rules(quirk: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    if quirk.startswith("+"):
        ending = re.escape(quirk[1:])
        return ((re.compile(rf"(?:だよね|だよ|だね|よね|よ|ね|な)?(?<!\ue001){_END}"), f"{ending}\ue001"),)
    table: dict[str, Any] = load("voices")["ja"]["quirks"][quirk]
    return tuple(
        (re.compile(pattern.replace("END", rf"(?<!\ue001){_END}")), _marked(replacement))
        for pattern, replacement in table["rules"]
    )


def _marked(replacement: str) -> str:
    """Mark what a rule writes at a sentence's end, before its question mark if it has one."""
    return replacement[:-1] + "\ue001？" if replacement.endswith("？") else replacement + "\ue001"


@lru_cache(maxsize=64)
def read_voice(sheet: Sheet, lang: Lang) -> Voice:
    """Read how a persona speaks from its system prompt, for a reply in `lang`."""
    prompt = sheet.system_prompt
    if lang == "ja":
        quirk, base = _quirk(prompt)
        polite = base == "polite" if base else _is_polite(prompt)
        i = _first_person(sheet, polite=polite)
        return Voice("ja", sheet.persona, i, _japanese_you(sheet), polite, quirk, _murmurs(prompt, lang))
    return Voice("en", sheet.persona, "I", _english_you(sheet), _is_formal(prompt), "", _murmurs(prompt, lang))


def _murmurs(prompt: str, lang: Lang) -> tuple[str, ...]:
    """Return sounds such as 「ふあ」 or "mm" that the sheet lets slip out."""
    if lang == "ja":
        told = _MURMUR_JA.search(prompt)
        return tuple(_QUOTED.findall(told.group(1))) if told else ()
    return tuple(match.capitalize() for match in _MURMUR_EN.findall(prompt))


def _first_person(sheet: Sheet, *, polite: bool) -> str:
    prompt = sheet.system_prompt
    known = load("voices")["ja"]["first_persons"].split()
    told = re.search(r"(?:一人称|自称|自分のこと)(?:は|を|が|:|：|、|\s)*[「『\"“]?([ぁ-んァ-ヶ一-龠]{1,6})", prompt)
    if told:
        if told.group(1).startswith(("自分の名前", "名前")):
            return sheet.persona
        for candidate in sorted(known, key=len, reverse=True):
            if told.group(1).startswith(candidate):
                return str(candidate)
        if told.group(1).startswith(sheet.persona):
            return sheet.persona
    speech = " ".join(_QUOTED.findall(prompt)) or prompt
    counts = Counter(
        {word: len(re.findall(rf"(?<![ぁ-んァ-ヶ一-龠]){word}(?=[はがもをのにって、])", speech)) for word in known}
    )
    word, count = counts.most_common(1)[0]
    if count:
        return str(word)
    return "私" if polite or sheet.language != "ja" else "わたし"


def _quirk(prompt: str) -> tuple[str, str]:
    quirks: dict[str, Any] = load("voices")["ja"]["quirks"]
    told = re.search(r"語尾(?:には|に|は|を|が|で|:|：)*[、\s]*[「『\"“]?[〜～]?([ぁ-んァ-ヶ]{1,6})", prompt)
    if told:
        ending = re.sub(r"(?:をつけ|を付け|と言|で話|と).*$", "", told.group(1))
        for name, table in quirks.items():
            if any(ending.endswith(sign) or sign.endswith(ending) for sign in table["signs"] if len(ending) > 1):
                return name, str(table["base"])
        if ending and ending not in ("です", "ます", "だ", "だよ", "よ", "ね", "だね", "ですね", "ますね", "やさし"):
            return f"+{ending}", "plain"
    speech = " ".join(_QUOTED.findall(prompt))
    for name, table in quirks.items():
        for sign in table["signs"]:
            is_ending = (
                re.search(rf"{sign}(?:[。！!？?、」…よねな\s]|$)", speech) if _KANA.fullmatch(sign) else sign in prompt
            )
            if is_ending:
                return name, str(table["base"])
    return "", ""


def _is_polite(prompt: str) -> bool:
    table = load("voices")["ja"]
    plain_told = bool(_NO_KEIGO.search(prompt)) or any(word in prompt for word in table["plain_words"].split())
    polite_told = not _NO_KEIGO.search(prompt) and any(word in prompt for word in table["polite_words"].split())
    if plain_told != polite_told:
        return polite_told
    speech = " ".join(_QUOTED.findall(prompt)) or prompt
    polite = len(re.findall(r"(?:です|ます|ました|ません|でした|ください|でしょう)", speech))
    plain = len(re.findall(r"(?:だよ|だね|よ[。！]|ね[。！]|だ[。！]|の？|かな|よう[。！])", speech))
    return polite >= plain


def _japanese_you(sheet: Sheet) -> str:
    told = re.search(
        r"(?:ユーザー|相手|話し相手|あなたの主|主人|話す人|会話相手)[^。\n]{0,14}?[「『\"“]([^」』\"”]{1,12})[」』\"”]と(?:呼|よ)",
        sheet.system_prompt,
    )
    name = sheet.user_name.strip()
    if told and "名前" not in told.group(1) and "{" not in told.group(1) and not (name and told.group(1) == "あなた"):
        return "" if told.group(1) == "あなた" else told.group(1)
    if not name:
        return ""
    return name if _HONORIFIC.search(name) else f"{name}さん"


def _english_you(sheet: Sheet) -> str:
    told = re.search(
        r"(?:call|calls|address|addresses|addressing|calling)\s+(?:the user|you|them|him|her|users?)\s+(?:as\s+)?[\"“']([^\"”']{1,20})[\"”']",
        sheet.system_prompt,
    )
    if told:
        return told.group(1)
    name = sheet.user_name.strip()
    return _HONORIFIC.sub("", name) if not name.isascii() else name


def _is_formal(prompt: str) -> bool:
    table = load("voices")["en"]
    lower = set(re.findall(r"[a-z-]+", prompt.lower()))
    return len(lower & set(table["formal_words"].split())) > len(lower & set(table["casual_words"].split()))
