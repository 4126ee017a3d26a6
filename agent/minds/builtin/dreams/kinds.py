"""What a name stands for, by what was said of it: the dictionary knows 正夫 as a place, and "my husband Paris" as a town."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

from agent.minds.builtin.dreams.statements import cue_words
from managers.storage.errors import Lang

_AFTER_JA = r"(?=と(?!いう(?!名))|が|は|も|に(?!行|い[くっ]|住|引っ越|着)|を|から|って|、|。|です|だ|で(?!会|遊|働|食べ)|へ(?!行)|！|!|？|$)"
_CALLED_JA = r"(?:です|だ|でし|という|といい|って|と申|と呼|、|。|$)"
_DOES_JA = r"(?:言って|言った|話して|話した|泣い|笑っ|怒っ|入院|退院|退職|定年|生まれ|手伝|くれ[たるて]|帰って(?:き|来)|結婚|亡くな|[歳才]|が?産ま)"


def told_kind(name: str, texts: Iterable[str], lang: Lang) -> Literal["person", "pet"] | None:
    """Return what a name stands for where somebody is told under it: 主人の正夫, my friend Florence.

    Args:
        name: the name as it was written.
        texts: what was said.
        lang: the language of what was said.
    """
    said = [text for text in texts if name in text]
    pets = cue_words(lang, "pets")
    if _is_told(name, said, pets, lang):
        return "pet"
    persons = (cue_words(lang, "relations") | cue_words(lang, "acquainted")) - pets
    return "person" if _is_told(name, said, persons, lang) else None


def acts(name: str, texts: Iterable[str]) -> bool:
    """Tell whether a name does what only people do: 正夫が帰ってきた. Said of a town (京都が好き) it proves nothing."""
    does = re.compile(rf"{re.escape(name)}(?:が|は|も)[^。、]{{0,14}}{_DOES_JA}")
    return any(does.search(text) for text in texts)


def _is_told(name: str, texts: Iterable[str], relations: Iterable[str], lang: Lang) -> bool:
    either = "|".join(sorted(map(re.escape, relations), key=len, reverse=True))
    if not either:
        return False
    written = re.escape(name)
    if lang == "ja":
        pattern = re.compile(
            rf"(?:{either})の{written}{_AFTER_JA}|(?:{either})の名前?(?:は|が|も|って)、?{written}{_CALLED_JA}"
            rf"|(?:{either})(?:は|が|も|って)、?{written}(?:という|といい|と申|って(?:言|い|名)|と呼)"
            rf"|{written}(?:さん|くん|君|ちゃん)?(?:は|が|って)、?(?:私|わたし|僕|ぼく|俺|おれ|うち)の(?:{either})(?:です|だ|なん|で|。|$)"
        )
    else:
        pattern = re.compile(
            rf"\b(?:my|our|his|her|their|the) (?:\w+ )?(?:{either})(?:'s name (?:is|was)|,? (?:who is |who's )?(?:called|named)| is called| is named|,)? {written}\b"
            rf"|\b{written}(?: is|'s|,) (?:my|our) (?:\w+ )?(?:{either})\b",
            re.IGNORECASE,
        )
    return any(pattern.search(text.replace("’", "'")) for text in texts)
