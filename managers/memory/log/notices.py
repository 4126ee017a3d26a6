"""What a person is told about the files of a log."""

from __future__ import annotations

from collections.abc import Sequence

from managers.memory.log.index import Damage
from managers.memory.messages import Message
from managers.storage.errors import Notice


def torn_end(name: str, kept: str) -> Notice:
    """A file ended in a record that was never finished, and was set aside."""
    return Notice(
        code="log-torn-end",
        ja=f"{name} の最後に書きかけの記録があったので、「{kept}」に移しました。それより前は無事です。",
        en=f'The last record of {name} was unfinished and was moved to "{kept}". All before it is intact.',
    )


def damaged_message(message: Message) -> Notice:
    """Something of one message is lost."""
    return Notice(
        code="log-damaged-message",
        ja=f"{message.time:%Y-%m-%d %H:%M} の記録({message.id})に、読めなくなったところがあります。"
        "ファイルには手を加えていません。前後の発言は無事です。",
        en=f"The message of {message.time:%Y-%m-%d %H:%M} ({message.id}) is damaged and could not be read in full. "
        "The file is as it was, and the messages around it are intact.",
    )


def damaged_file(name: str, damages: Sequence[Damage]) -> Notice:
    """Some places of a file could not be read in full."""
    first, count = damages[0], len(damages)
    return Notice(
        code="log-damaged",
        ja=f"{name} に読みきれないところが{count}か所あります。最初は {first.offset:,} バイト目あたり、"
        f"発言 {first.message_id} のところです。ファイルはそのままで、前後の発言は無事です。",
        en=f"{name} has {count} place(s) that could not be read in full, the first around byte {first.offset:,}, "
        f"at message {first.message_id}. The file is as it was, and the messages around are intact.",
    )
