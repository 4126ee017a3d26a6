"""The prompt for whom and what a day told something about; its answer is an `EntitiesDraft`."""

from __future__ import annotations

from datetime import date

from agent.prompts.dream_parts import called, instructions, section, spell_day
from managers.mind import Sheet

_TASK = {
    "ja": "会話に出てきた人、ペット、場所、作品、団体、くり返し出てくる物事について、新しくわかったことを facts に書いてください。"
    "一つの事実は一文で、名前を入れて、それだけ読んでわかるように。あいさつや相づち、あなた自身のことは書かない。\n"
    "「{user}」の facts は「{user}」本人のことだけ。家族、友人、ペットのことは、その名前の entity に書く"
    "(名前がわからなければ「{user}の妹」のように)。代名詞や「相手」は name にしない。"
    "kind は person, pet, place, work, organisation, thing のどれか。「妹のノラ」のように続柄が言われていれば person。"
    "同じ相手の別の呼び名は aliases に。すでに知っているものは同じ name を使う。\n"
    "すでに知っている事実を言い直した、またはもう正しくないときは、新しい事実を書き、その replaces に古い事実の番号(f_…)を入れる。"
    "住まい・仕事・学校・恋人・年齢のように一つしか成り立たないことは slot に home, work, school, partner, age と書く。"
    "まだ先の予定(来月からの仕事など)には slot も replaces も書かない。"
    "新しくわかったことがなければ空のリスト。",
    "en": "Write down what became newly known about the people, pets, places, works, organisations and recurring things in the "
    "conversation. Each fact is one sentence that names whom it is about and can be understood by itself; no greetings, no "
    "chit-chat, nothing about yourself.\n"
    "Under “{user}” stand only facts about “{user}”. What is told of family, friends and pets stands under their own name "
    "(where no name is known: “{user}'s sister”). A pronoun is no name. "
    "`kind`: person, pet, place, work, organisation or thing; who is told as somebody's relation (“my sister Nora”) is a person. "
    "Other names for the same one go into `aliases`; use the same `name` for what is known already.\n"
    "If what is known already is corrected or no longer holds, write the new fact and give the old one's id (f_…) in its `replaces`. "
    "Where only one thing can be true at a time, name the slot: home, work, school, partner, age. "
    "What is only planned (a job from next month on) has neither `slot` nor `replaces`. "
    "An empty list if nothing new became known.",
}
_TITLES = {
    "ja": ("すでに知っていること", "{day} の会話"),
    "en": ("Known already", "The conversation of {day}"),
}


def build(
    sheet: Sheet,
    persona: str,
    *,
    day: date,
    conversation: str,
    known: str,
    persona_speaks_for_itself: bool,
    before: str = "",
) -> tuple[str, str]:
    """Return instructions and material."""
    lang = sheet.language
    first, second = _TITLES[lang]
    task = _TASK[lang].format(user=called(sheet))
    told = section(second.format(day=spell_day(day, lang)), conversation)
    whole = instructions(sheet, task, persona, persona_speaks_for_itself=persona_speaks_for_itself)
    return whole, section(first, known) + before + told
