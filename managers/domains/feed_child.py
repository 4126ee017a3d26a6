"""What the limited process does with bytes of the web: a feed's entries, and what is to be read on a page.

`feedparser` and `trafilatura` read only what was fetched: the process that this runs in can reach nobody. An item goes out
as a `Part`: its heading is a line of JSON that says what it is, its text what it says.
"""

import io
import json
import re
from calendar import timegm
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from managers.recall.documents.child import answer_with
from managers.recall.documents.html import read_html
from managers.recall.documents.parts import Part, Reader
from managers.recall.documents.text import decode
from managers.storage.files import digest

MOST_ENTRIES: Final = 500
"""Of a feed; the first ones are the newest."""
MOST_CHARACTERS: Final = 200_000
"""Of one item: a long article has 60,000."""
_DECLARED: Final = re.compile(rb"""<meta[^>]{0,200}charset=["']?\s*([A-Za-z0-9_-]{2,40})""", re.IGNORECASE)
_DECLARED_WITHIN: Final = 4096
_DATES: Final = {"extensive_search": False, "original_date": True}
"""Only what a page says of its own date: otherwise any year in its text is taken for it."""
_MARKUP: Final = re.compile(r"<[a-zA-Z!/]|&[a-zA-Z#]")


def main() -> None:
    """Answer requests until the other side is gone."""
    readers: dict[str, Reader] = {"feed": _with_charset(read_feed), "page": _with_charset(read_page)}
    answer_with(readers)


def _with_charset(reader: Any) -> Reader:  # noqa: ANN401  # either of the two below
    """Let a reader have the charset that the server named: it stands before the bytes, in a line of its own."""

    def read(data: bytes) -> Iterator[Part]:
        charset, _, body = data.partition(b"\n")
        return iter(reader(body, charset.decode("ascii", "ignore")))

    return read


def item(text: str, **facts: str) -> Part:
    """Return an item: what it says, and what it is."""
    return Part(json.dumps({name: value for name, value in facts.items() if value}), text[:MOST_CHARACTERS])


def read_feed(data: bytes, charset: str = "") -> Iterator[Part]:
    """Yield the entries of a feed.

    Raises:
        ValueError: it is none, or declares entities: no feed needs them, and a bomb is made of them.
    """
    if b"<!entity" in data.replace(b"\0", b"").lower():  # in UTF-16, too
        raise ValueError("entities")
    import feedparser  # noqa: PLC0415  # only this process pays for it

    kind = f"application/xml; charset={charset}" if charset else "application/xml"
    feed = feedparser.parse(io.BytesIO(data), response_headers={"content-type": kind}, resolve_relative_uris=False)
    if not feed.version and not feed.entries:
        raise ValueError("no feed")
    entries = feed.entries[:MOST_ENTRIES]
    named = Counter(map(_name, entries))
    for entry in entries:
        title, text, date = _words(str(entry.get("title", ""))), _words(_content(entry)), _date(entry)
        key = _name(entry)
        if not entry.get("id") and named[key] > 1:  # the page of all of them, say: it tells none from another
            key = " ".join(filter(None, (key, title, date or digest(text))))
        if text or title:
            yield item(text or title, title=title, key=key, address=str(entry.get("link", "")), published=date)


def _name(entry: Mapping[str, Any]) -> str:
    """Return what a feed calls an entry."""
    return str(entry.get("id") or entry.get("link") or _words(str(entry.get("title", ""))))


def _content(entry: Mapping[str, Any]) -> str:
    """Return the longest that an entry has of itself: its content, or its summary."""
    pieces = [str(one.get("value", "")) for one in entry.get("content") or ()]
    return max([*pieces, str(entry.get("summary", ""))], key=len)


def _date(entry: Mapping[str, Any]) -> str:
    for name in ("published_parsed", "updated_parsed"):
        try:
            if moment := entry.get(name):
                return datetime.fromtimestamp(timegm(moment), UTC).isoformat()
        except (ValueError, OverflowError, OSError, TypeError):
            continue
    return ""


def _words(text: str) -> str:
    """Return what is read in a piece of markup, without the markup."""
    if not _MARKUP.search(text):
        return text.strip()
    parts = read_html(text.encode("utf-8", "replace"))
    return "\n\n".join(f"{part.heading}\n{part.text}" if part.heading else part.text for part in parts).strip()


def read_page(data: bytes, charset: str = "") -> Iterator[Part]:
    """Yield what is to be read on a page, without menus and advertisements; all of it where that finds nothing."""
    import trafilatura  # noqa: PLC0415  # only this process pays for it

    page = _decoded(data, charset)
    found = trafilatura.bare_extraction(page, with_metadata=True, include_comments=False, date_extraction_params=_DATES)
    text = str(getattr(found, "text", "") or "")
    facts = {name: str(getattr(found, name, "") or "") for name in ("title", "date")}
    if not text.strip():
        text = "\n\n".join(part.text for part in read_html(page.encode("utf-8", "replace")))
    if text.strip():
        yield item(text, title=facts["title"], published=facts["date"])


def _decoded(data: bytes, charset: str) -> str:
    """Return a page as text: by what the server says, else by what the page says, else by its bytes."""
    declared = _DECLARED.search(data[:_DECLARED_WITHIN])
    for name in (charset, declared[1].decode("ascii") if declared else ""):
        try:
            if name:
                return data.decode("cp932" if name.lower().replace("-", "_") in {"shift_jis", "sjis"} else name)
        except (LookupError, UnicodeDecodeError):
            continue
    return decode(data)
