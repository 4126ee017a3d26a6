"""What a mind is told of a change that waits for a yes, and what the person is asked."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from agent.prompts.quoting import name_in_label
from managers.storage.errors import Lang

_NAMED = 3
"""So many documents are named."""
_WAITS: dict[Lang, str] = {
    "ja": "まだ行っていません。{documents}の文章が目の前にあるあいだは、先に相手の許可をたずねます。"
    "「書いた」「忘れた」とは言わず、許可を待っていることを短く伝えてください。返事は会話の横のボタンで受けとります。"
    "もう一度呼ぶ必要はありません。",
    "en": "Not done yet. While text of {documents} is before you, the other person is asked first. Do not say that it is done; "
    "say briefly that it waits for their yes, which they give by a button beside the conversation. There is no need to call "
    "it again.",
}
_WISHES: dict[str, dict[Lang, str]] = {
    "core_memory": {"ja": "コアメモリを書き換え", "en": "change its core memory"},
    "notepad": {"ja": "メモ帳を書き換え", "en": "change its notepad"},
    "main_memory": {"ja": "日記を書き換え", "en": "change its diary"},
    "secret_diary": {"ja": "秘密の日記を書き換え", "en": "change its secret diary"},
    "entity": {"ja": "「{name}」についての記憶に書き足し", "en": "note something about “{name}”"},
    "forget": {"ja": "次の発言を忘れ", "en": "forget these words"},
}
_PROGRAM_ASKS: dict[Lang, str] = {
    "ja": "ほかのプログラムが、{persona}の{note}に書き足したいと言っています。先におたずねします(お返事は{until:%Y-%m-%d}まで)。",
    "en": "Another program would like to add to {persona}'s {note}, so you are asked first (until {until:%Y-%m-%d}).",
}
_NOTES: dict[str, dict[Lang, str]] = {
    "core_memory": {"ja": "コアメモリ", "en": "core memory"},
    "notepad": {"ja": "メモ帳", "en": "notepad"},
    "main_memory": {"ja": "日記", "en": "diary"},
    "secret_diary": {"ja": "秘密の日記", "en": "secret diary"},
}
_WHY_ASKED: dict[Lang, str] = {
    "ja": "{persona}は、{wish}たがっています。{documents}を見ながらの会話なので、先におたずねします(お返事は{until:%Y-%m-%d}まで)。",
    "en": "{persona} would like to {wish}. {documents} was before its eyes, so you are asked first (until {until:%Y-%m-%d}).",
}


def waits(lang: Lang, documents: Sequence[str]) -> str:
    """Return what a mind is told."""
    return _WAITS[lang].format(documents=_listed(documents, lang))


def asks(lang: Lang, persona: str, what: str, name: str, documents: Sequence[str], until: datetime) -> str:
    """Return what a person is asked.

    Args:
        lang: the reader's.
        persona: who would do it.
        what: which note, or `entity`, or `forget`.
        name: the entity's.
        documents: what was before the persona's eyes.
        until: when the wish is dropped.
    """
    wish = _WISHES[what][lang].format(name=name_in_label(name))
    return _WHY_ASKED[lang].format(persona=persona, wish=wish, documents=_listed(documents, lang), until=until)


def program_asks(lang: Lang, persona: str, note: str, until: datetime) -> str:
    """Return what a person is asked where another program would add to a note.

    Args:
        lang: the reader's.
        persona: whose note.
        note: which.
        until: when the wish is dropped.
    """
    return _PROGRAM_ASKS[lang].format(persona=persona, note=_NOTES[note][lang], until=until)


def _listed(names: Sequence[str], lang: Lang) -> str:
    opens, closes, joint = ("「", "」", "、") if lang == "ja" else ("“", "”", ", ")
    return joint.join(f"{opens}{name_in_label(name)}{closes}" for name in names[:_NAMED])
