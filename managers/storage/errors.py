"""Every error that the managers raise, each with its sentence in both languages.

An error is part of the interface: its sentence says what happened and what to do. It is raised
where it is noticed, caught where something can be done, and shown at one edge (page or terminal)
in the reader's language. One class per failure; the facts go in as keyword arguments.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

Lang = Literal["ja", "en"]


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
    level: Literal["info", "warning", "passing"] = "warning"

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


class PersonaNotFoundError(UtataneError):
    """No persona of that name in the home folder."""

    ja = "「{name}」というペルソナは見つかりません。`personas list` で名前を確かめてください。"
    en = 'There is no persona "{name}". See `personas list` for the names.'


class PersonaExistsError(UtataneError):
    """A persona of that name is there already."""

    ja = "「{name}」というペルソナはもういます。別の名前を選んでください。"
    en = 'There already is a persona "{name}". Choose another name.'


class GuestError(UtataneError):
    """A folder is there that nobody let in on this computer; nothing in it was opened. Facts: `name`."""

    # No name in the command: a folder may be called anything, and people copy what they are told to type.
    ja = (
        "「{name}」のフォルダーは、このコンピューターではまだ確認していません。"
        "`personas admit` か、ページの「確認待ち」で、中身を見てから迎えてください。"
    )
    en = (
        'The folder "{name}" is a guest: nobody has let it in on this computer yet. See what is in it and let it in with '
        '`personas admit`, or under "Waiting for your yes" on the page.'
    )


class NotAdmissibleError(UtataneError):
    """A guest cannot be let in as it is. Facts: `name`, `reason_ja`, `reason_en`."""

    ja = "「{name}」を迎えられません。{reason_ja}"
    en = '"{name}" cannot be let in. {reason_en}'


class ChangedSinceShownError(UtataneError):
    """A folder asks for other settings than those that were said yes to; nothing was changed. Facts: `name`."""

    ja = "「{name}」の設定は、お見せしたあとに変わりました。もう一度、確かめてください。"
    en = 'The settings of "{name}" have changed since they were shown. Look at them again.'


class ExternallyChangedError(UtataneError):
    """A file changed on disk after it was read; both versions are offered to the person.

    Facts: `path`, `theirs` (text on disk now).
    """

    ja = "「{path}」は、読み込んだあとに別の場所で変更されました。両方を見て、残すほうを選んでください。"
    en = '"{path}" was changed elsewhere after it was read. Compare both versions and choose.'


class ShrinkRefusedError(UtataneError):
    """A write would shrink a log or empty a memory without an explicit delete."""

    ja = "「{path}」の中身が失われる書き込みだったので、止めました。何も変わっていません。"
    en = 'Writing "{path}" would have lost what is in it, so nothing was changed.'


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


class MemoryBrokenError(UtataneError):
    """A file of memories is damaged in a way that nobody foresaw. Facts: `path`."""

    ja = "「{path}」の中身が読み取れないため、検索に入れていません。直すと、また見つかるようになります。"
    en = 'What is in "{path}" cannot be understood, so no search finds it. Mend it and it is found again.'


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


class NoSuchFileError(UnreadableError):
    """A file that somebody named is not there. Facts: `path`."""

    ja = "「{path}」というファイルはありません。場所と名前を確かめてください。"
    en = 'There is no such file as "{path}". Check where it is and what it is called.'


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


class AlreadyServedError(AlreadyRunningError):
    """Another process serves the same home folder, and where is known. Facts: `home`, `address`."""

    ja = "うたた寝はもう動いています: {address} (フォルダーは {home}。別のフォルダーで始めるなら `--home`)"
    en = "Utatane is already running at {address} (for {home}; `--home` starts it for another folder)."


class PasswordTooShortError(UtataneError):
    """A password for the page that is soon guessed. Facts: `least` (characters)."""

    ja = "その合言葉は短すぎます。{least}文字以上にしてください。いくつかの言葉をつなげると、長くても覚えやすくなります。"
    en = "That password is too short: it needs at least {least} characters. A few words in a row are easy to remember."


class PasswordsDifferError(UtataneError):
    """A new password was typed twice, and not the same."""

    ja = "二つの合言葉が違っていました。何も変えていません。もう一度どうぞ。"
    en = "The two passwords were not the same, so nothing was changed. Please try again."


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


class EditTargetError(UtataneError):
    """The text that an edit should replace is not there, or is there several times."""

    ja = "「{old}」は「{path}」の中に{count}か所あります。ちょうど1か所に決まる文を指定してください。何も変えていません。"
    en = '"{old}" stands in "{path}" {count} times. Give a text that stands there exactly once. Nothing was changed.'


class MessageNotFoundError(UtataneError):
    """No message of that id in the log, or it was deleted."""

    ja = "その発言({message_id})は記録に見つかりません。もう消されているかもしれません。"
    en = 'There is no message "{message_id}" in the log. It may have been deleted.'


class BranchNotFoundError(UtataneError):
    """There is no branch of that id to go back to."""

    ja = "その分かれ道は見つかりません。ページを読み込みなおしてみてください。"
    en = "That branch of the conversation is not there. Reload the page."


class AlternativeNotFoundError(UtataneError):
    """There are not so many answers in that place. Facts: `count`."""

    ja = "ここにある返事は{count}個です。その返事は見つかりません。"
    en = "There are {count} answers in this place; that one is not among them."


class MessageIdTakenError(UtataneError):
    """A message of that id is in the log already, and says something else."""

    ja = "「{message_id}」という番号の発言が、別の内容でもう記録にあります。何も変えていません。"
    en = 'The log already has a message "{message_id}" that says something else. Nothing was changed.'


class AvatarRefusedError(UtataneError):
    """A picture cannot be used as an avatar: the reason says why."""

    ja = "この画像は使えません。{reason_ja}"
    en = "This picture cannot be used: {reason_en}"


class NotInTrashError(UtataneError):
    """Nothing of that name lies in the trash."""

    ja = "「{name}」はゴミ箱にありません。`personas list` で確かめてください。"
    en = '"{name}" is not in the trash. See `personas list`.'


class BrokenPersonaFileError(UtataneError):
    """A persona's `persona.json` has a mistake in it and was not changed because of that."""

    ja = "「{name}」の persona.json に書き間違いがあります({cause})。直すまでは初期設定で動きます。"
    en = 'The persona.json of "{name}" has a mistake ({cause}). Until it is mended the defaults are used.'


class DocumentError(UtataneError):
    """A document cannot be read as it is; each subclass says why. Facts: `name`."""

    ja = "「{name}」は読めません。"
    en = '"{name}" cannot be read.'


class DocumentTypeError(DocumentError):
    """A document is of a kind that a knowledge base cannot read."""

    ja = "「{name}」の形式は読めません。.txt .md .pdf .html .csv .docx のどれかにしてください。"
    en = '"{name}" is of a kind that cannot be read. Use .txt, .md, .pdf, .html, .csv or .docx.'


class DocumentTooLargeError(DocumentError):
    """A document is larger than a knowledge base takes."""

    ja = "「{name}」は大きすぎます({megabytes} MB まで)。分けてから、もう一度入れてください。"
    en = '"{name}" is too large (at most {megabytes} MB). Split it and add the parts.'


class DocumentBrokenError(DocumentError):
    """A document cannot be opened: it is damaged, or not what its name says."""

    ja = "「{name}」は壊れているか、名前と中身の形式が違うため、開けません。"
    en = '"{name}" cannot be opened: it is damaged, or is not what its name says.'


class DocumentEncryptedError(DocumentError):
    """A document wants a password."""

    ja = "「{name}」にはパスワードがかかっています。外してから、もう一度入れてください。"
    en = '"{name}" is protected by a password. Remove it and add the file again.'


class DocumentEmptyError(DocumentError):
    """A document holds no text: it is empty, or pictures of pages."""

    ja = "「{name}」には読み取れる文字がありません(スキャンした画像だけのPDFなど)。文字認識(OCR)をかけてから入れてください。"
    en = '"{name}" holds no text (a scanned PDF without text recognition, perhaps). Run OCR on it and add it again.'


class DocumentSlowError(DocumentError):
    """Reading a document took longer than it may. Facts: `name`, `seconds`."""

    ja = (
        "「{name}」は {seconds:g} 秒たっても読み終わらないため、読むのをやめました。"
        "分けて入れるか、設定 document_seconds を長くしてください。"
    )
    en = (
        'Reading "{name}" was given up after {seconds:g} seconds. '
        "Split it and add the parts, or allow more time with the setting document_seconds."
    )


class DocumentUnfoldsError(DocumentError):
    """A document unfolds to more than its size lets expect. Facts: `name`."""

    ja = (
        "「{name}」は、開くと大きさに見合わない量になるため、読むのをやめました。"
        "信頼できるものなら、文字だけを取り出して入れてください。"
    )
    en = (
        'Reading "{name}" was given up: it unfolds to far more than its size lets expect. '
        "If you trust it, save its text alone and add that."
    )


class DocumentReaderError(UtataneError):
    """The process that reads documents cannot be started. Facts: `name`, `cause`."""

    ja = "「{name}」を読むための処理を始められませんでした({cause})。あとで自動的にやり直します。"
    en = 'What reads "{name}" could not be started ({cause}). It is tried again later.'


class DocumentNotFoundError(UtataneError):
    """No document of that name is in the knowledge base, or at that place."""

    ja = "「{name}」という資料は見つかりません。"
    en = 'There is no document "{name}".'


class EmbeddingError(UtataneError):
    """A text could not be turned into a vector; it stays unprocessed and is tried again later.

    `again`: the same may go well a moment later. `stops`: nothing else would go well now.
    """

    ja = "意味による検索の準備ができませんでした({cause})。あとで自動的にやり直します。言葉による検索は使えます。"
    en = "Search by meaning could not be prepared ({cause}). It is tried again later; search by words works."


class FetchError(UtataneError):
    """A model could not be fetched. `again`: what has come is kept, and goes on from there."""

    ja = "モデル「{title}」を取得できませんでした({cause_ja})。もう一度押すと、続きから始めます。"
    en = 'The model "{title}" could not be fetched ({cause_en}). Press again to go on from where it stopped.'


class NotATranscriptError(UtataneError):
    """Not one line of a file that was to be imported could be used."""

    ja = "「{path}」には取り込める行がありませんでした。{line}行目: {reason_ja}"
    en = 'No line of "{path}" could be imported. Line {line}: {reason_en}'


class MistakeInFileError(UnreadableError):
    """A file that people write has a mistake in it; nothing was written to it."""

    ja = "「{path}」に書き間違いがあります({cause})。直してから、もう一度お試しください。"
    en = '"{path}" has a mistake in it ({cause}). Mend it and try again.'
