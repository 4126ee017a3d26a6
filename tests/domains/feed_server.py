"""A loopback server of feeds and pages, well-behaved or not, and domains that read from it."""

import gzip
import socket
import time
import zlib
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from typing import Self

from managers.domains.domain_sources import add_source, agree, allow_host
from managers.domains.domain_store import DomainStore
from tests.loopback import Answering, loopback

Handler = Callable[[Answering], None]


@dataclass(frozen=True)
class Shown:
    """What a path shows."""

    body: bytes
    type: str = "application/rss+xml"
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()


@dataclass
class FeedServer:
    """`with FeedServer() as server: server.pages["/feed"] = Shown(...)`; `server.asked` has the paths that were asked for."""

    pages: dict[str, Shown | Handler] = field(default_factory=dict)
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    base: str = ""

    def __enter__(self) -> Self:
        outer = self

        class Shows(Answering):
            def get(self) -> None:
                outer.asked.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
                with suppress(OSError):
                    outer.answer(self)

        self._running = ExitStack()
        self.base = self._running.enter_context(loopback(Shows))
        return self

    def __exit__(self, *_: object) -> None:
        self._running.close()

    def answer(self, request: Answering) -> None:
        shown = self.pages.get(request.path)
        if callable(shown):
            shown(request)
            return
        shown = shown or Shown(b"none", "text/plain", 404)
        tag = dict(shown.headers).get("etag")
        if tag and request.headers.get("if-none-match") == tag:
            shown = Shown(b"", status=304)
        request.answer(shown.status, shown.body, content_type=shown.type, **dict(shown.headers))


def rss(*entries: tuple[str, str], ids: Sequence[str] = (), encoding: str = "utf-8") -> bytes:
    """Return an RSS 2 feed of (title, text)."""
    items = "".join(
        f"<item><title>{title}</title><link>https://news.example/{number}</link>"
        f"<guid>{ids[number] if ids else title}</guid><pubDate>Fri, 20 Nov 2026 09:00:00 +0900</pubDate>"
        f"<description>&lt;p&gt;{text}&lt;/p&gt;</description></item>"
        for number, (title, text) in enumerate(entries)
    )
    head = f'<?xml version="1.0" encoding="{encoding}"?><rss version="2.0"><channel><title>News</title>'
    return f"{head}{items}</channel></rss>".encode(encoding)


def atom(*entries: tuple[str, str]) -> bytes:
    """Return an Atom feed of (title, text)."""
    items = "".join(
        f"<entry><id>urn:{number}</id><title>{title}</title><updated>2026-11-19T08:30:00Z</updated>"
        f'<link href="https://blog.example/{number}"/><content type="html">&lt;h2&gt;{title}&lt;/h2&gt;{text}</content></entry>'
        for number, (title, text) in enumerate(entries)
    )
    return f'<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>Blog</title>{items}</feed>'.encode()


def page(title: str, *paragraphs: str, charset: str = "utf-8") -> bytes:
    """Return a page as sites have them: menus, a script, an article, a foot."""
    told = "".join(f"<p>{one}</p>" for one in paragraphs)
    return (
        f'<!DOCTYPE html><html><head><meta charset="{charset}"><title>{title}</title>'
        '<meta property="article:published_time" content="2026-11-18T07:00:00+00:00"></head>'
        '<body><nav><ul><li><a href="/">Home</a></li><li><a href="/shop">Shop</a></li></ul></nav>'
        "<script>document.cookie='x=1'; alert('never run')</script>"
        f"<article><h1>{title}</h1>{told}</article><footer>Imprint</footer></body></html>"
    ).encode(charset)


def endless(request: Answering) -> None:
    """Send a feed without end, as fast as it goes."""
    request.begin(200, content_type="application/rss+xml")
    request.wfile.write(b'<?xml version="1.0"?><rss version="2.0"><channel>')
    while True:
        request.wfile.write(b"<item><title>more</title></item>" * 4096)


def dripping(request: Answering) -> None:
    """Send one byte of a header at a time, until nobody listens any more."""
    request.wfile.write(b"HTTP/1.1 200 OK\r\n")
    while True:
        request.wfile.write(b"x")
        request.wfile.flush()
        time.sleep(0.02)


def broken_off(request: Answering) -> None:
    """Promise more than comes."""
    request.begin(200, content_length="100000")
    request.wfile.write(b"<rss>")
    request.wfile.flush()
    request.connection.shutdown(socket.SHUT_RDWR)


def moved(to: str) -> Shown:
    return Shown(b"", status=302, headers=(("location", to), ("set-cookie", "who=me")))


def packed(megabytes: int) -> Shown:
    """Return kilobytes that unpack to megabytes."""
    return Shown(gzip.compress(b" " * megabytes * 1_000_000), headers=(("content-encoding", "gzip"),))


def deflated(body: bytes) -> Shown:
    return Shown(zlib.compress(body), headers=(("content-encoding", "deflate"),))


def reads(store: DomainStore, *addresses: str, allow: bool = True) -> DomainStore:
    """Let a domain read from addresses that its person has agreed to."""
    for address in addresses:
        add_source(store, address)
    if allow:
        allow_host(store, "127.0.0.1")
    agree(store, {one.id for one in store.plan().sources})
    return store
