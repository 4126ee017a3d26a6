"""The tool that forgets what somebody just said, because they ask for it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from agent.forgetting import let_go
from agent.prompts.system_prompt import spell_time
from agent.tools.catalogue import Arguments, Tool
from agent.tools.context import ToolContext
from agent.tools.writes import Look, Write, Writer
from managers.language.forgetting import asks_to_forget, names_something, read_forget_wish
from managers.language.words import content_words
from managers.memory.errors import UnclearWhatToForgetError
from managers.memory.forgotten import choose, holds
from managers.memory.messages import Message
from managers.storage.errors import Lang
from managers.storage.files import digest

_DONE: dict[Lang, str] = {
    "ja": "忘れました: {time}からのメッセージ{count}件。会話からも検索からも消えました。内容を繰り返さず、忘れたことと、"
    "「記憶」の画面の「忘れたこと」から戻せることを、一文で伝えてください。",
    "en": "Forgotten: {count} messages, from {time}. They are out of the conversation and of search. Say in one sentence "
    "that it is forgotten and that it can be brought back on the Memories page under “Forgotten”; do not repeat what it was.",
}
_LEFT: dict[Lang, str] = {
    "ja": "ただし、あとから書き換えられたため、次のファイルにはまだ残っています: {files}。そのことも伝えてください。",
    "en": "But these files were changed since and still hold something of it: {files}. Say that, too.",
}


class What(Arguments):
    """What to forget."""

    about: str = Field(
        "",
        max_length=100,
        description="A word or two that stand in what is to be forgotten; empty: what the user said last before asking",
    )


class Forgetting(Write):
    """Words of the conversation that are to go, with their answers."""

    kind: Literal["forget"] = "forget"
    about: str = ""

    def look(self, writer: Writer) -> Look:
        asked = _wish(writer)
        going = choose(writer.memories.log, asked.id, _meant(asked.text, self.about))
        lines = [f"-{one.time:%H:%M} {one.speaker}: {' '.join(one.text.split())}\n" for one in going]
        return Look("log.txt", digest("\n".join(one.id for one in going)), "".join(lines))

    def carry_out(self, writer: Writer) -> str:
        lang, asked = writer.sheet.language, _wish(writer)
        gone = let_go(writer.memories, asked.id, _meant(asked.text, self.about))
        done = _DONE[lang].format(time=spell_time(lang, gone.messages[0].time), count=len(gone.messages))
        return "\n".join([done, _LEFT[lang].format(files=", ".join(gone.left))] if gone.left else [done])

    def is_users_own(self, writer: Writer) -> bool:
        """A wish that is read with certainty names what goes: no mind, and no document, has a say in it."""
        return read_forget_wish(_wish(writer).text) is not None


def forget_messages(_: ToolContext, wanted: What) -> Forgetting:
    """Forget the user's last statement, or what they said about something, with the answers."""
    return Forgetting(about=wanted.about)


def _wish(writer: Writer) -> Message:
    """Return the message that asks to have something forgotten.

    Raises:
        UnclearWhatToForgetError: it asks for no such thing.
    """
    asked = writer.memories.log.get(writer.evidence[0])
    if asked is None or not asks_to_forget(asked.text):
        raise UnclearWhatToForgetError
    return asked


def _meant(asked: str, about: str) -> str:
    """Return the words that name what is to go: as the user's own say it, whatever a mind makes of them.

    Raises:
        UnclearWhatToForgetError: the mind names something that the user does not.
    """
    wish = read_forget_wish(asked)
    if wish is not None:
        return wish.about
    if about and not (names_something(about) and holds(asked, content_words(about))):
        raise UnclearWhatToForgetError
    return about


TOOLS: list[Tool[ToolContext]] = [
    Tool(
        "forget_messages",
        {
            "ja": "ユーザーが「今の話は忘れて」のように頼んだときだけ、その発言と返事を忘れる。頼まれていないときや、どの話かはっきりしないときは使わない。",
            "en": "Forget something that the user just said, with the answer to it: only when the user asks you to forget it, "
            "and never when it is unclear what is meant.",
        },
        {
            "ja": "🛠️ 頼まれた話を忘れました(「記憶」の「忘れたこと」から戻せます)",
            "en": "🛠️ Forgot what you asked me to (Memories → Forgotten brings it back)",
        },
        What,
        forget_messages,
        writes=True,
    ),
]
