"""What a person is told of each kind of trouble, and what is promised for a yes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from managers.integrity.trouble import Trouble, Words
from managers.storage.encodings import NAMES
from managers.storage.errors import Notice, UnreadableError
from managers.storage.paths import PersonaPaths

CONVERT: Final = Words(
    "UTF-8 に直します。元のファイルは set_aside に残します。",
    "It is made UTF-8; the original is kept in set_aside.",
)
_ASIDE: Final = Words("set_aside に移します。", "It is moved to set_aside.")
_LOGS: Final = ("log.txt", "log_archives/")


def copy(name: str, original: str, by: str) -> Trouble:
    """A second version of a file that a sync service or an editor left."""
    said = Words(
        f"「{name}」は、同期ソフトやエディター({by} など)が残した「{original}」の写しのようです。記憶としては読みません。",
        f'"{name}" seems to be a copy of "{original}" that a sync service or an editor ({by}) left. It is not read as '
        "a memory.",
    )
    remedy = (
        Words(
            "写しにしかない発言を1つずつ取り込み、写しは set_aside に移します。",
            "Messages that only the copy has are taken in one by one, and the copy is moved to set_aside.",
        )
        if original.startswith(_LOGS)
        else _ASIDE
    )
    return Trouble("copy", name, said, remedy, original)


def orphan(name: str, original: str, by: str) -> Trouble:
    """A copy whose original is not there: all that is left of it."""
    said = Words(
        f"「{name}」は写しの名前ですが({by} など)、元の「{original}」がありません。これだけが残っているので、そのまま読みます。",
        f'"{name}" is named like a copy ({by}), but the original "{original}" is not there. It is all that is left, and is '
        "read as it is.",
    )
    return Trouble(
        "orphan",
        name,
        said,
        Words(f"「{original}」という名前に戻します。", f'It is given the name "{original}".'),
        original,
    )


def set_aside(name: str, original: str) -> Trouble:
    """A file that could not be understood, and was put aside then."""
    said = Words(
        f"「{original}」は読めなかったことがあり、そのときのファイルが「{name}」に残っています。",
        f'"{original}" could not be read at some time; what it was then is kept as "{name}".',
    )
    remedy = Words(
        "読めるようにできれば元のところに戻し、できなければ履歴の最後の無事な版を戻します。そのファイルは set_aside に移します。",
        "What can be made readable returns to its place, otherwise the last good version in the history if the file is "
        "missing; this one is moved to set_aside.",
    )
    return Trouble("set-aside", name, said, remedy, original)


def history_set_aside(name: str) -> Trouble:
    """A whole history that was damaged, and was put aside then."""
    said = Words(
        f"壊れていた変更の履歴が「{name}」に残っています。記憶そのものは無事で、そのあとの履歴は新しく続いています。",
        f'A history of changes that was damaged is kept as "{name}". The memories themselves are fine, and a new history '
        "has gone on since. If you have a backup of the folder .history from before, keep it with this one.",
    )
    return Trouble("set-aside", name, said, _ASIDE)


def other_encoding(name: str, encoding: str) -> Trouble:
    """A memory file that another program saved in another encoding."""
    called = NAMES.get(encoding, encoding)
    said = Words(
        f"「{name}」は、別のソフトで {called} として保存されたようです。直すまで使いません。",
        f'"{name}" seems to have been saved as {called} by another program. It is not used until it is converted.',
    )
    return Trouble("other-encoding", name, said, CONVERT)


def misnamed(notice: Notice, name: str) -> Trouble:
    """A file that is not used because of its name."""
    return Trouble("misnamed", name, Words(notice.ja, notice.en))


def broken(name: str) -> Trouble:
    """A memory file that cannot be understood."""
    said = Words(
        f"「{name}」は壊れていて、読み取れません。直すか、履歴から前の版に戻してください。",
        f'"{name}" is damaged and cannot be understood. Repair it, or bring an earlier version back from the history.',
    )
    remedy = Words(
        "set_aside に移し、履歴の最後の無事な版を戻します。",
        "It is moved to set_aside, and the last good version in the history takes its place.",
    )
    return Trouble("broken", name, said, remedy)


def unreadable(paths: PersonaPaths, error: UnreadableError) -> Trouble:
    """A file or folder that cannot be opened."""
    name = os.path.relpath(str(error.facts["path"]), paths.folder)
    return Trouble("damaged", Path(name).as_posix(), Words(error.sentence("ja"), error.sentence("en")))


def more_unreadable(count: int) -> Trouble:
    """Many more of them."""
    said = Words(
        f"ほかにも {count:,} 件のファイルを読めません。フォルダーごと、持ち主と権限を確かめてください。",
        f"{count:,} more files cannot be read. Check the owner and the permissions of the whole folder.",
    )
    return Trouble("damaged", "", said)


def lost(paths: PersonaPaths, month: str, days: Sequence[str], count: int) -> Trouble:
    """Messages that were known and are in no file of the log any more."""
    name = f"log_archives/{month}.txt" if month else "log.txt"
    archive = paths.folder / name
    waits = archive.with_name(f".{archive.name}.icloud").exists()
    when_ja = f"{days[0]} から {days[-1]} まで" if len(days) > 1 else "".join(days) or month
    when_en = f"from {days[0]} to {days[-1]}" if len(days) > 1 else "".join(days) or month
    how_ja = f"の発言が少なくとも {count:,} 件" if count else "の発言が"
    how_en = f"At least {count:,} message(s)" if count else "The messages"
    way_ja = (
        f"{name} はまだ iCloud からダウンロードされていません。Finder で開くとダウンロードされます。"
        if waits
        else f"{name} を、バックアップや同期サービスの以前の版から戻してください。戻れば、そのまま読まれます。"
    )
    way_en = (
        f"{name} has not been downloaded from iCloud: open it in Finder."
        if waits
        else f"Put {name} back from a backup, or from your sync service's earlier versions; what returns is read at once."
    )
    said = Words(
        f"{when_ja}{how_ja}、会話の記録から消えています。{way_ja}",
        f"{how_en} {when_en} that were in the log are gone. {way_en}",
    )
    return Trouble("lost", name, said, None, " ".join(days))


def history(damaged: int, entries: int, *, is_whole: bool) -> Trouble:
    """Parts of the history that cannot be read."""
    end_ja = "" if is_whole else "途中より前にはさかのぼれません。"
    end_en = "" if is_whole else " The way back ends before the beginning."
    said = Words(
        f"変更の履歴の {damaged} か所が壊れていて、{entries} 件の変更を元に戻せないかもしれません。{end_ja}"
        "記憶そのものは無事です。.history フォルダーのバックアップがあれば、objects の中身を書き足すと戻ります。",
        f"{damaged} part(s) of the history are damaged, and {entries} change(s) may not be undone.{end_en} The memories "
        "themselves are fine. If you have a backup of the folder .history, adding what is in its objects mends it.",
    )
    remedy = Words(
        "いまのファイルから書き直せる部分を直します。",
        "What the files as they are now can mend is mended.",
    )
    return Trouble("history", ".history", said, remedy)
