"""What the agent cannot do, each with its sentence in both languages (see `managers.storage.errors`)."""

from __future__ import annotations

from managers.storage.errors import UtataneError


class EmptyMessageError(UtataneError):
    """There is nothing to send."""

    ja = "メッセージが空です。ひとことでも書いてから送ってください。"
    en = "The message is empty. Write a word or two, then send it."


class MessageTooLongError(UtataneError):
    """A message beyond what the log takes. Facts: `limit` (characters)."""

    ja = "メッセージが長すぎます(上限 {limit:,} 文字)。分けて送るか、ファイルとして添付してください。"
    en = "The message is too long (at most {limit:,} characters). Send it in parts or attach it as a file."


class StillAnsweringError(UtataneError):
    """A turn of this persona is under way. Facts: `name`."""

    ja = "{name} はまだ話しています。終わるまで待つか、止めてから送ってください。"
    en = "{name} is still answering. Wait until it has finished, or stop it first."


class NothingToAnswerError(UtataneError):
    """There is no message of the user's in this topic to answer, edit or take back."""

    ja = "この話題には、あなたのメッセージがまだありません。"
    en = "There is no message of yours in this topic yet."


class AttachmentError(UtataneError):
    """A file cannot be sent as it is; each subclass says why. Facts, in all of them: `name`."""

    ja = "「{name}」は送れません。"
    en = '"{name}" cannot be sent.'


class AttachmentTypeError(AttachmentError):
    """A file is of a kind that no message takes, and no mind reads."""

    ja = "「{name}」は読めない種類のファイルです。送れるのは、画像(PNG、JPEG、GIF、WebP)と、文章や表(テキスト、Markdown、PDF、Word(docx)、HTML、CSV)です。PDFかテキストに書き出せば、ここで送ることも、「資料」に入れておくこともできます。"
    en = (
        '"{name}" is of a kind that cannot be read. A message takes pictures (PNG, JPEG, GIF, WebP) '
        "and documents (text, Markdown, PDF, Word (docx), HTML, CSV). Saved as PDF or text, you can send it here or "
        "keep it in the room Knowledge."
    )


class AttachmentForKnowledgeError(AttachmentError):
    """A document is too large for a message, and the room Knowledge takes it. Facts: `megabytes`."""

    ja = (
        "「{name}」は会話で送るには大きすぎます(上限 {megabytes} MB)。"
        "「資料」の画面に入れると、必要なところを探しながら話せます。"
    )
    en = (
        '"{name}" is too large for a message (at most {megabytes} MB). '
        "Add it in the room Knowledge: there it is searched, and you can talk about it."
    )


class AttachmentTooLargeError(AttachmentError):
    """An attached file is too large. Facts: `megabytes`."""

    ja = "「{name}」は大きすぎます(上限 {megabytes} MB)。小さくしてから添付してください。"
    en = '"{name}" is too large (at most {megabytes} MB). Make it smaller and attach it again.'


class AttachmentUnreadableError(AttachmentError):
    """An attached file is empty, gone, or not what its name says."""

    ja = "「{name}」を開けませんでした。空か、壊れているか、名前と中身の種類が違うようです。開けるか確かめて、もう一度選んでください。"
    en = (
        '"{name}" cannot be opened: it is empty, damaged, or not what its name says. '
        "See whether it opens elsewhere, and choose it again."
    )


class UnknownTypeError(UtataneError):
    """No type of memory has that name. Facts: `name`, `known`."""

    ja = "「{name}」という種類の記憶はありません。{known} から選んでください。"
    en = 'There is no type of memory called "{name}". Choose one of {known}.'


class UnknownLevelError(UtataneError):
    """No level of reflection has that name. Facts: `name`."""

    ja = "省察レベルは auto、1、2、3 のどれかです(「{name}」ではなく)。"
    en = 'The level is auto, 1, 2 or 3, not "{name}".'


class UnknownTaskError(UtataneError):
    """No task of a dream has that name. Facts: `name`, `known`."""

    ja = "夢の仕事に「{name}」はありません。{known} から選んでください。"
    en = 'A dream has no task "{name}". Choose from {known}.'
