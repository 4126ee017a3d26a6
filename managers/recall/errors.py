"""What cannot be read, embedded or searched."""

from __future__ import annotations

from managers.storage.errors import UtataneError


class MemoryBrokenError(UtataneError):
    """A file of memories is damaged in a way that nobody foresaw. Facts: `path`."""

    ja = "「{path}」の中身が読み取れないため、検索に入れていません。直すと、また見つかるようになります。"
    en = 'What is in "{path}" cannot be understood, so no search finds it. Mend it and it is found again.'


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
