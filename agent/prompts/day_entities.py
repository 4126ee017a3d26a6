"""The prompt for whom and what a day told something about; its answer is an `EntitiesDraft`."""

from __future__ import annotations

from agent.prompts.dreaming import instructions, section
from managers.mind import Sheet

_TASK = {
    "ja": "会話に出てきた人、ペット、場所、作品、団体、くり返し出てくる物事について、新しくわかったことを facts に書いてください。"
    "一つの事実は一文で、それだけ読んでわかるように。あいさつや相づちは書かない。"
    "同じ相手の別の呼び名は aliases に。すでに知っているものは同じ name を使う。"
    "前に知っていた事実がもう正しくないときは、その番号(f_…)を replaces に入れる。"
    "住まい・仕事・学校・恋人・年齢のように一つしか成り立たないことは slot に home, work, school, partner, age と書く。",
    "en": "Write down what became newly known about the people, pets, places, works, organisations and recurring things in the "
    "conversation. Each fact is one sentence that can be understood by itself; no greetings, no chit-chat. "
    "Other names for the same one go into `aliases`; use the same `name` for what is known already. "
    "If a known fact no longer holds, give its id (f_…) in `replaces`. "
    "Where only one thing can be true at a time, name the slot: home, work, school, partner, age.",
}


def build(sheet: Sheet, *, date: str, conversation: str, known: str) -> tuple[str, str]:
    """Return instructions and material."""
    titles = {"ja": ("すでに知っていること", f"{date} の会話"), "en": ("Known already", f"The conversation of {date}")}
    first, second = titles[sheet.language]
    return instructions(sheet, _TASK[sheet.language]), section(first, known) + section(second, conversation)
