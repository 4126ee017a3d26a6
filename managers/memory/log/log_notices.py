"""What a person is told about the files of a log."""

from __future__ import annotations

from collections.abc import Sequence

from managers.memory.log.contents import Damage
from managers.memory.messages import Message
from managers.storage.encodings import NAMES
from managers.storage.errors import Notice
from managers.storage.texts import Texts

_say = Texts("notices/memory")


def torn_end(name: str, kept: str) -> Notice:
    """A file ended in a record that was never finished, and was set aside."""
    return _say.notice("log-torn-end", name=name, kept=kept)


def other_encoding(name: str, encoding: str, count: int) -> Notice:
    """A file holds words in another encoding than UTF-8, which nobody reads until they are converted."""
    called = NAMES.get(encoding, encoding)
    ja, en = (f"{count:,} 件の発言", f"{count:,} message(s) in it are") if count else ("中の発言", "What is in it is")
    return Notice(
        code="log-other-encoding",
        ja=f"{name} は、別のソフトで {called} として保存されたようです。{ja}は、UTF-8 に直すまで読まれず、夢にも出ません。"
        "ファイルはそのままです。",
        en=f"{name} seems to have been saved as {called} by another program. {en} not read, nor dreamt of, until it is "
        "converted to UTF-8. The file is as it was.",
    )


def set_aside_in_other_encoding(name: str, encoding: str, kept: str) -> Notice:
    """A whole log was in an encoding in which no record could be found, and was set aside."""
    called = NAMES.get(encoding, encoding)
    return Notice(
        code="log-torn-end",
        ja=f"{name} は {called} で保存されていて読めなかったので、「{kept}」にそのまま残し、新しく書き始めました。"
        "直せば、元のところに戻ります。",
        en=f'{name} had been saved as {called} and could not be read, so it was kept as "{kept}" and a new one begun. '
        "Mended, its messages return to their places.",
    )


def damaged_message(message: Message) -> Notice:
    """Something of one message is lost."""
    return _say.notice("log-damaged-message", time=message.time, id=message.id)


def damaged_file(name: str, damages: Sequence[Damage]) -> Notice:
    """Some places of a file could not be read in full."""
    first, count = damages[0], len(damages)
    return _say.notice("log-damaged", name=name, count=count, offset=first.offset, message_id=first.message_id)
