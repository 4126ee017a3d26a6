"""How the indexes are: for `doctor` and the page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from managers.storage.errors import DerivedDamagedError, Notice

BROKEN = Notice(
    "index-broken", DerivedDamagedError.ja.format(path="rag_index"), DerivedDamagedError.en.format(path="rag_index")
)
MENDED = Notice(
    "index-mended",
    ja="検索の索引が壊れていたので、作り直しました。記憶のファイルは無事です。",
    en="The search index was damaged and has been made anew. The memories themselves are intact.",
    level="info",
)
NOT_FOLLOWED = Notice(
    "index-not-followed",
    ja="ここには書き込めないので、索引を新しくできません。索引のあとに書かれたことは、検索では見つかりません。",
    en="Nothing can be written here, so the search index stays as it is. What was written after it is not found.",
)

LOADING = Notice(
    "embedder-loading",
    ja="意味検索のモデルを読み込んでいます。言葉による検索はもう使えます。",
    en="The model for search by meaning is being loaded. Search by words works already.",
    level="passing",
)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far something is that takes a while: bytes read, texts embedded or days drawn, of how many."""

    done: int
    total: int


@dataclass(frozen=True, slots=True)
class IndexStatus:
    """How the indexes of a persona are.

    Attributes:
        chunks: how many passages each index holds.
        unembedded: how many of them wait for their vectors (words find them already).
        embedder: what makes the vectors.
        notices: what a person should know about reduced ways.
    """

    chunks: Mapping[str, int]
    unembedded: int
    embedder: str
    notices: tuple[Notice, ...] = field(default_factory=tuple)

    @property
    def total(self) -> int:
        return sum(self.chunks.values())


def making_notice(progress: Progress | None) -> Notice:
    """Say that an index is being made, and how far it is where this process makes it."""
    share = f"{100 * progress.done // max(progress.total, 1)}%" if progress else ""
    return Notice(
        "index-under-way",
        ja=f"検索の索引を作っています{f'({share})' if share else ''}。そのあいだも、できている索引で探せます。",
        en=f"The search index is being made{f' ({share})' if share else ''}. What is there already is searched meanwhile.",
        level="passing",
    )


def waiting_notice(count: int) -> Notice:
    """Say that vectors are still being made."""
    return Notice(
        "embedding-under-way",
        ja=f"意味検索の準備が進んでいます(残り{count}件)。言葉による検索はもう使えます。",
        en=f"Search by meaning is being prepared ({count} passages to go). Search by words works already.",
        level="passing",
    )


def put_off_notice(count: int) -> Notice:
    """Say that some passages cannot be embedded by themselves."""
    return Notice(
        "embedding-put-off",
        ja=f"意味検索の準備ができなかった文章が{count}件あります。言葉では見つかります。変更されたときか、1日後にもう一度試します。",
        en=f"{count} passages could not be prepared for search by meaning. They are found by words, and are tried again when they change, or after a day.",
        level="info",
    )
