"""What every error is, and those of files, settings and the history.

An error is part of the interface: its sentence says what happened and what to do. It is raised
where it is noticed, caught where something can be done, and shown at one edge (page or terminal)
in the reader's language. One class per failure; the facts go in as keyword arguments.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

Lang = Literal["ja", "en"]
Level = Literal["info", "warning", "passing"]


class UtataneError(Exception):
    """Base of all errors that are meant to be read by a person.

    Subclasses set `ja` and `en`: templates for `str.format` over the keyword arguments.
    """

    ja: ClassVar[str] = "問題が起きました。"
    en: ClassVar[str] = "Something went wrong."
    status: ClassVar[int] = 1
    """What a command that ends with it leaves as its exit status."""

    def __init__(self, **facts: object) -> None:
        """Keep the facts and render the English sentence as the exception's own text."""
        self.facts = facts
        super().__init__(self.sentence("en"))

    def sentence(self, lang: Lang) -> str:
        """Return the one sentence for a reader of `lang`."""
        return (self.ja if lang == "ja" else self.en).format(**self.facts)


@dataclass(frozen=True, slots=True)
class Notice:
    """Something a person should know though the operation went on (a file set aside, a reduced way).

    `code` names the kind (stable, for dismissing and for tests); `level` is `info`, `warning`, or `passing` for what
    moves on and ends by itself: it is one and the same notice, however its words change.
    """

    code: str
    ja: str
    en: str
    level: Level = "warning"

    def sentence(self, lang: Lang) -> str:
        """Return the one sentence for a reader of `lang`."""
        return self.ja if lang == "ja" else self.en


def as_notice(code: str, error: UtataneError) -> Notice:
    """Return an error as what a person should know though the operation went on."""
    return Notice(code, error.sentence("ja"), error.sentence("en"))


class UnsafeNameError(UtataneError):
    """A persona's or file's name cannot be used as a folder name."""

    ja = "「{name}」という名前は使えません。{reason_ja}"
    en = 'The name "{name}" cannot be used: {reason_en}'


class NoNameError(UnsafeNameError):
    """A name was left empty."""

    ja = "名前がまだありません。名前を入れてください。"
    en = "There is no name yet. Enter one."


class ExternallyChangedError(UtataneError):
    """A file changed on disk after it was read; both versions are offered to the person.

    Facts: `path`, `theirs` (text on disk now).
    """

    ja = "「{path}」は、読み込んだあとに別の場所で変更されました。両方を見て、残すほうを選んでください。"
    en = '"{path}" was changed elsewhere after it was read. Compare both versions and choose.'


class DiskFullError(UtataneError):
    """The disk is full: nothing was written, nothing was lost."""

    ja = "ディスクの空きがないため「{path}」に書けませんでした。空きを作ってから、もう一度お試しください。"
    en = 'The disk is full, so "{path}" could not be written. Free some space and try again.'


class UnwritableError(UtataneError):
    """A file or folder cannot be written (permissions, read-only media)."""

    ja = "「{path}」に書き込めません({cause})。フォルダーの権限を確かめてください。"
    en = '"{path}" cannot be written ({cause}). Check the permissions of the folder.'


class DiskTroubleError(UtataneError):
    """The system refused to read or write something, and nobody was prepared for that. Facts: `path`, `cause`."""

    ja = "「{path}」を読み書きできませんでした({cause})。ディスクとフォルダーの権限を確かめてから、もう一度お試しください。"
    en = '"{path}" could not be read or written ({cause}). Check the disk and the permissions, then try again.'


class UnexpectedError(UtataneError):
    """A failure that nobody foresaw; the traceback is in the program's own log. Facts: `cause`."""

    ja = "思いがけない問題が起きました({cause})。書いたものは残っています。もう一度お試しください。"
    en = "Something unforeseen went wrong ({cause}). What you wrote is kept. Please try again."


class UnreadableError(UtataneError):
    """A file exists but cannot be read (permissions, I/O error)."""

    ja = "「{path}」を読めません({cause})。ファイルの権限を確かめてください。"
    en = '"{path}" cannot be read ({cause}). Check the permissions of the file.'


class DerivedDamagedError(UtataneError):
    """An index, a map or a cache is damaged; it is derived data and is made anew. Facts: `path`."""

    ja = "索引({path})が壊れているので、作り直します。記憶のファイルは無事です。"
    en = "An index ({path}) is damaged and is being made anew. The memories themselves are intact."


class NotPlainFileError(UnreadableError, UnwritableError):
    """A link or a special file (a pipe, a device) stands where a file should. Facts: `path`."""

    ja = (
        "「{path}」は、ほかの場所を指すリンクか、ふつうのファイルではないものなので、読み書きしません。"
        "中身をここに置いてください。"
    )
    en = (
        '"{path}" is a link to another place, or no ordinary file, so it is neither read nor written. '
        "Put the file or folder itself in its place."
    )


class FileTooLargeError(UnreadableError):
    """A file is larger than anything of its kind could be; it was not read. Facts: `path`, `megabytes` (the most)."""

    ja = "「{path}」は大きすぎるので読みません({megabytes} MB まで)。要らないところを除くか、分けてください。"
    en = '"{path}" is too large to be read (at most {megabytes} MB). Take out what is not needed, or split it.'


class BusyError(UtataneError):
    """Another process or thread holds the persona's lock for longer than we wait."""

    ja = "「{name}」は別のウィンドウで使われています。そちらが終わってから、もう一度お試しください。"
    en = '"{name}" is being used by another window or process. Try again when it has finished.'


class AlreadyRunningError(UtataneError):
    """Another process serves the same home folder. Facts: `home`."""

    status = 3
    ja = (
        "{home} のうたた寝は、もう動いています。開いているページを使うか、`--home` で別のフォルダーを指定してください。"
    )
    en = "Utatane is already running for {home}. Use the page that is open, or give another folder with `--home`."


class PasswordTooShortError(UtataneError):
    """A password for the page that is soon guessed. Facts: `least` (characters)."""

    ja = "その合言葉は短すぎます。{least}文字以上にしてください。いくつかの言葉をつなげると、長くても覚えやすくなります。"
    en = "That password is too short: it needs at least {least} characters. A few words in a row are easy to remember."


class ExportExistsError(UtataneError):
    """The file to export into is there already. Facts: `path`."""

    ja = "「{path}」はもうあります。上書きはしないので、別の名前を指定してください。"
    en = '"{path}" is there already and is not overwritten. Give another name.'


class InvalidSettingError(UtataneError):
    """A setting has a value that cannot be used."""

    ja = "設定「{key}」の値「{value}」は使えません。{reason}"
    en = 'The setting "{key}" cannot be "{value}": {reason}'


class EntryNotFoundError(UtataneError):
    """No entry of that id in a persona's history (or the beginning of an id fits several)."""

    ja = "「{entry}」という履歴は見つかりません。`history` で番号を確かめてください。"
    en = 'There is no entry "{entry}" in the history. See `history` for the ids.'


class HistoryDamagedError(UtataneError):
    """A part of the history cannot be read; the memories themselves are not touched by that."""

    ja = "履歴の一部({entry})が壊れていて読めません。記憶そのものは無事です。"
    en = "A part of the history ({entry}) is damaged and cannot be read. The memories themselves are fine."


class UndoConflictError(UtataneError):
    """Something later changed the same records or lines as the entry; nothing was changed.

    Facts: `path` and `part` (of the first), `conflicts` (of `managers.storage.history.UndoConflict`, with both
    versions), `is_all` (nothing but conflicts is left).
    """

    ja = (
        "「{path}」の同じところ({part})が、その後さらに変わっています。何も変えていません。"
        "ページで両方を見比べるか、`--leave-changed` でそこだけ残してください。"
    )
    en = (
        '"{path}" has changed again since, at the same place ({part}). Nothing was changed. '
        "Compare both versions on the page, or leave that place as it is with `--leave-changed`."
    )


class NotUndoableError(UtataneError):
    """There is nothing to take back or to do again: the reason says why."""

    ja = "この変更({entry})はそのようにはできません。{reason_ja}"
    en = "That cannot be done with this change ({entry}): {reason_en}"


class MistakeInFileError(UnreadableError):
    """A file that people write has a mistake in it; nothing was written to it."""

    ja = "「{path}」に書き間違いがあります({cause})。直してから、もう一度お試しください。"
    en = '"{path}" has a mistake in it ({cause}). Mend it and try again.'
