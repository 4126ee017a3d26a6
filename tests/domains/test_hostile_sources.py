"""Servers that want in, do not end, or send what breaks readers: each is one sentence, and the others go on."""

import socket
import zlib
from dataclasses import replace

import httpcore
import pytest

from managers.domains import errors
from managers.domains.bounded_fetch import Wanted, fetch
from managers.domains.domain_store import DomainStore
from managers.domains.etl import bring_up_to_date
from managers.domains.public_addresses import is_public
from tests.domains import feed_server as feeds
from tests.domains.feed_server import FeedServer, Shown, reads, rss

GOOD = ("Good", "What is good stays, whatever the neighbours send, and it is found afterwards as it was before.")
BOMB = (
    b'<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "aaaaaaaaaaaaaaaa">'
    + b"".join(b'<!ENTITY %c "%s">' % (one, b"&%c;" % (one - 1) * 10) for one in range(ord("b"), ord("k")))
    + b']><rss version="2.0"><channel><item><title>&j;</title></item></channel></rss>'
)
FILE = b'<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a SYSTEM "file:///etc/passwd">]><rss version="2.0"><channel><item><title>&a;</title></item></channel></rss>'


SENT: dict[str, tuple[Shown | feeds.Handler, type[Exception] | None]] = {
    "/good": (Shown(rss(GOOD)), None),
    "/bomb": (Shown(BOMB), errors.SourceBrokenError),
    "/bomb16": (Shown(BOMB.decode().encode("utf-16")), errors.SourceBrokenError),
    "/file": (Shown(FILE), errors.SourceBrokenError),
    "/none": (Shown(b"", status=404), errors.SourceAnswerError),
    "/torn": (Shown(b"\xff\xfe\x00junk<<<", "application/xml"), errors.SourceBrokenError),
    "/empty": (Shown(b"<html><body></body></html>", "text/html"), errors.SourceEmptyError),
    "/film": (Shown(b"....", "video/mp4"), errors.SourceTypeError),
    "/loop": (feeds.moved("/loop"), errors.SourceMovedError),
    "/elsewhere": (feeds.moved("http://localhost:1/"), errors.PrivateAddressError),
    "/script": (feeds.moved("javascript:alert(1)"), errors.SourceMovedError),
    "/packed": (feeds.packed(20), errors.SourceTooLargeError),
    "/broken": (feeds.broken_off, errors.UnreachableError),
    "/endless": (feeds.endless, errors.SourceTooLargeError),
}


def test_whatever_one_source_sends_the_others_go_on(server: FeedServer, movie: DomainStore) -> None:
    server.pages = {path: sent for path, (sent, _) in SENT.items()}
    reads(movie, *(server.base + path for path in SENT))
    outcome = bring_up_to_date(movie, movie.plan().sources)
    failed = {name.removeprefix(server.base): type(error) for name, error in outcome.failed.items()}
    assert failed == {path: error for path, (_, error) in SENT.items() if error is not None}
    assert [one.title for one in movie.documents()] == ["Good"]
    assert all(len({*one.failed.values()}) == 2 for one in movie.plan().sources if one.failed)  # in both languages
    server.pages["/good"] = Shown(b"<rss", "text/xml")
    bring_up_to_date(movie, movie.plan().sources[:1])
    assert [one.title for one in movie.documents()] == ["Good"]  # what came before stays


def test_one_that_drips_or_is_packed_as_servers_pack(server: FeedServer) -> None:
    packed = Shown(zlib.compress(rss(GOOD)), headers=(("content-encoding", "deflate"),))
    server.pages = {"/drip": feeds.dripping, "/zip": packed}
    wanted = Wanted(f"{server.base}/drip", allowed=frozenset({"127.0.0.1"}), seconds=0.4)
    with pytest.raises(errors.SourceSlowError):
        fetch(wanted)
    with pytest.raises(errors.FetchStoppedError):
        fetch(replace(wanted, seconds=600, is_stopped=lambda: True))
    assert (found := fetch(replace(wanted, address=f"{server.base}/zip", seconds=600))) is not None
    assert found.body == rss(GOOD)


NOBODYS = """127.0.0.1 10.1.2.3 172.16.0.1 192.168.1.1 169.254.169.254 100.64.0.1 0.0.0.0 224.0.0.1 240.0.0.1
255.255.255.255 192.0.2.1 ::1 :: fe80::1%eth0 fc00::1 ff02::1 ::ffff:8.8.8.8 ::ffff:127.0.0.1 64:ff9b::7f00:1
2002:7f00:1:: 2001:0:1::1 ::7f00:1 fec0::1 no-address"""


def test_addresses_that_are_nobodys_of_the_internet() -> None:
    public = ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"]
    assert [address for address in (*NOBODYS.split(), *public) if is_public(address)] == public


def test_a_name_is_asked_once_and_no_host_lets_others_in(server: FeedServer, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = ["93.184.215.14", "127.0.0.1"]  # otherwise each time
    connected: list[str] = []

    def resolve(*_: object, **__: object) -> list[object]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (answers.pop(0), 80))]

    def connect(_: object, host: str, *__: object) -> None:
        connected.append(host)
        raise httpcore.ConnectError

    monkeypatch.setattr(httpcore.SyncBackend, "connect_tcp", connect)
    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    with pytest.raises(errors.UnreachableError):
        fetch(Wanted("http://rebinding.example/"))
    assert connected == ["93.184.215.14"]
    with pytest.raises(errors.PrivateAddressError):
        fetch(Wanted("http://rebinding.example/"))
    assert connected == ["93.184.215.14"]
    monkeypatch.undo()
    server.pages["/in"] = feeds.moved(f"{server.base.replace('127.0.0.1', 'localhost')}/secret")
    with pytest.raises(errors.PrivateAddressError):  # localhost is allowed, but it is another server that leads there
        fetch(Wanted(f"{server.base}/in", allowed=frozenset({"127.0.0.1", "localhost"})))
    assert [path for path, _ in server.asked] == ["/in"]
    for host in ("2130706433", "0x7f.1", "127.1", "[::ffff:127.0.0.1]", "localhost."):
        with pytest.raises((errors.PrivateAddressError, errors.HostUnknownError)):
            fetch(Wanted(f"http://{host}/"))
