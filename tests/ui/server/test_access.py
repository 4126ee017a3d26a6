"""Who gets in: by the token, by the password, from this computer's own pages alone; and what a stranger learns."""

import itertools
import re
import socket
import stat
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote

import anyio
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient, WebSocketTestSession
from starlette.websockets import WebSocket, WebSocketDisconnect

from agent.companion import Companion
from agent.services import Services, open_services
from managers.memory.log import ConversationLog
from managers.storage.access import Access
from managers.storage.clock import SystemClock
from managers.storage.errors import DiskFullError
from managers.storage.paths import Home
from managers.storage.visits import LONGEST_UNSEEN, MOST_VISITS
from tests.ui.server.routes import Address, addresses_of
from tests.ui.visitors import ORIGIN, stranger_to, visitor_of
from ui.components.revision import revision_of
from ui.errors import PasswordNeededError, PortInUseError
from ui.locales import texts
from ui.server.access import Gate
from ui.server.app import _listen, launch
from ui.server.engine import ALLOWED
from ui.server.guesses import Guesses, TooManyGuessesError
from ui.server.live import Live
from ui.server.programs.ways import MCP, way_to
from ui.server.watched import Watched

PASSWORD = "とても長いひみつ"
HERE, LAN = "127.0.0.1", "192.168.1.9"
Headers = dict[str, str]
SAME_ORIGIN = {"sec-fetch-site": "same-origin", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty"}
LINK = {"sec-fetch-mode": "navigate", "sec-fetch-dest": "document", "accept": "text/html"}
PICTURE = {"sec-fetch-mode": "no-cors", "sec-fetch-dest": "image"}


class Behind:
    """What lies behind the gate, and how often it was asked for anything."""

    def __init__(self) -> None:
        self.asked = 0

        async def answer(request: Request) -> Response:
            self.asked += 1
            return PlainTextResponse(f"inside {request.url.path}", headers={"access-control-allow-origin": "*"})

        methods = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"]
        self.app = Starlette(routes=[Route("/{path:path}", answer, methods=methods)])


@pytest.fixture
def behind() -> Behind:
    return Behind()


@pytest.fixture
def access(own_home: Home) -> Access:
    return Access(own_home)


def browser(behind: Behind, access: Access, origin: str = ORIGIN, peer: str = HERE, pause: float = 0.01) -> TestClient:
    gate = Gate(behind.app, access, guesses=Guesses(pause), names=lambda: ["Home.example"])
    return TestClient(gate, base_url=origin, follow_redirects=False, client=(peer, 50_000))


def let_in(behind: Behind, access: Access, origin: str = ORIGIN) -> TestClient:
    inside = browser(behind, access, origin)
    inside.cookies.set(access.cookie, access.come_in())
    return inside


def seen(answer: Any) -> tuple[int, Sequence[tuple[bytes, bytes]], bytes]:
    return answer.status_code, answer.headers.raw, answer.content


# --- the token


def test_without_the_token_there_is_only_a_page_that_says_where_it_is(behind: Behind, access: Access) -> None:
    page = browser(behind, access).get("/", headers={"accept": "text/html"})
    assert page.status_code == 401
    for words in (texts("ja")("access.where"), texts("en")("access.where"), "app.py access"):
        assert words in page.text
    assert access.token not in page.text
    assert not re.findall(r'(?:src|href)="(?!data:)', page.text)  # it asks for nothing behind the gate
    for path in ("/p/a/avatar", "/static/x/moon.svg"):
        assert browser(behind, access).get(path).status_code == 401
    assert behind.asked == 0


def test_a_visit_with_the_token_is_led_to_an_address_without_it_and_remembered(behind: Behind, access: Access) -> None:
    visitor = browser(behind, access)
    led = visitor.get(f"/settings?persona=%E3%81%AD&token={access.token}&room=heart", headers={"accept": "text/html"})
    assert (led.status_code, led.headers["location"]) == (303, "/settings?persona=%E3%81%AD&room=heart")
    assert access.token not in str(led.headers)
    assert (led.headers["referrer-policy"], led.headers["cache-control"]) == ("no-referrer", "no-store")
    kept = led.headers["set-cookie"]
    assert kept.startswith(f"{access.cookie}=")
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} < set(kept.split("; "))
    assert visitor.get("/p/Hazel/").text == "inside /p/Hazel/"
    assert let_in(behind, access).get("/?token=old&persona=x").headers["location"] == "/?persona=x"  # an old bookmark
    for path in ("//evil.example/", "/%5Cevil.example/", "///evil.example", "/a%0d%0ax: y"):  # nobody is led elsewhere
        led = browser(behind, access).get(f"{ORIGIN}{path}?token={access.token}")
        assert re.fullmatch(r"/(?!/)[\w.%/]*", led.headers["location"])
        assert "\\" not in led.headers["location"]


def test_address_and_cookie_outlive_the_program_not_the_token(behind: Behind, access: Access, own_home: Home) -> None:
    visitor, old = let_in(behind, access), access.token
    again = Access(own_home)
    assert again.address(ORIGIN) == access.address(ORIGIN)
    later = browser(behind, again)
    later.cookies = visitor.cookies
    assert later.get("/").text == "inside /"
    renewed = later.get("/", headers={"accept": "text/html"}).headers["set-cookie"]
    assert "Max-Age=34560000" in renewed  # counted anew from every page that is opened
    new = Access(own_home).renew_token()  # another process: the command line
    assert new != old
    assert visitor.get("/").status_code == 401
    assert browser(behind, access).get(f"/?token={old}").status_code == 401
    assert browser(behind, access).get(f"/?token={new}").status_code == 303


def test_a_token_is_long_its_owners_alone_and_not_told_by_the_cookie(access: Access, own_home: Home) -> None:
    other = Access(Home(own_home.folder / "other"))
    assert access.token != other.token
    assert min(map(len, (access.token, other.token))) >= 43  # 256 bits
    assert access.token not in access.come_in()
    assert access.come_in() not in access.token
    assert access.token in own_home.access.read_text()
    if sys.platform != "win32":
        assert stat.S_IMODE(own_home.access.stat().st_mode) == 0o600


def test_cookies_of_other_homes_and_servers_open_nothing_and_shut_nobody_out(behind: Behind, tmp_path: Path) -> None:
    """Cookies know no ports: whoever serves another page here can set one of the same name."""
    one, other = Access(Home(tmp_path / "one")), Access(Home(tmp_path / "other"))
    both = browser(behind, one)
    for access in (one, other):
        both.cookies.set(access.cookie, access.come_in())
    assert both.get("/").status_code == 200
    for cookies, is_in in (
        (f"{one.cookie}={other.come_in()}", False),
        (f"{one.cookie}=made-up; {one.cookie}={one.come_in()}; {one.cookie}=too", True),
        (f"{one.cookie}=made-up", False),
        ("", False),
    ):
        assert browser(behind, one).get("/", headers={"cookie": cookies}).is_success is is_in, cookies


def test_a_file_that_cannot_be_understood_is_set_aside_and_opens_nothing(own_home: Home) -> None:
    old = Access(own_home)
    token, session = old.token, old.come_in()
    own_home.access.write_text('{"token": 3}')
    access = Access(own_home)
    assert access.token != token
    assert access.visit(session) is None
    assert [notice.code for notice in access.notices] == ["file-set-aside"]
    assert [path.read_text() for path in own_home.folder.glob(".access.json.broken-*")] == ['{"token": 3}']


# --- pages of others


def test_a_page_from_elsewhere_is_not_answered_nor_a_picture_or_a_frame_on_it(behind: Behind, access: Access) -> None:
    """The latter name no origin; the cookie comes along where another program's page shares our name."""
    inside, sites = let_in(behind, access), ("cross-site", "same-site")
    for origin in ("http://evil.example", "http://localhost:3000", "http://127.0.0.1:1", "null"):
        for said in ({}, *({"sec-fetch-site": site} for site in sites)):
            for method in ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"):
                answer = inside.request(method, "/", headers={"origin": origin, **said})
                assert answer.status_code == 403, (method, origin, said)
    answers = [
        one.get(path, headers={"sec-fetch-site": site, **how})
        for one in (browser(behind, access), inside)
        for path in ("/", "/static/x/moon.svg", "/worker.js", "/manifest.json", "/p/Hazel/avatar")
        for site in sites
        for how in (PICTURE, LINK | {"sec-fetch-dest": "iframe"}, {"sec-fetch-mode": "cors"}, {})
    ]
    assert {answer.status_code for answer in answers} == {403}
    assert len({answer.content for answer in answers}) == 1
    assert {answer.headers["cross-origin-resource-policy"] for answer in answers} == {"same-origin"}
    assert behind.asked == 0


def test_a_link_from_elsewhere_leads_to_the_front_door_and_tells_nothing(behind: Behind, access: Access) -> None:
    paths = ("/", "/settings?persona=Hazel", "/p/nobody/avatar", "/?token=guess")
    for site in ("cross-site", "same-site"):
        headers, both = LINK | {"sec-fetch-site": site}, (browser(behind, access), let_in(behind, access))
        answers = [one.get(path, headers=headers) for path in paths for one in both]
        assert len({str(seen(answer)) for answer in answers}) == 1
        assert 'content="0; url=/"' in answers[0].text
        assert answers[0].headers["cross-origin-opener-policy"] == "same-origin"
        assert not {"utatane", "うたた寝"} & set(re.findall(r"\w+", answers[0].text.lower()))
        # The address with its token may stand in a letter: it lets one in from there as well.
        assert browser(behind, access).get(f"/?token={access.token}", headers=headers).status_code == 303
    assert behind.asked == 0


def test_our_own_page_is_answered_also_behind_a_proxy(behind: Behind, access: Access) -> None:
    inside = let_in(behind, access)
    assert inside.post("/", headers={"origin": ORIGIN}).status_code == 200
    assert inside.post("/", headers={"origin": "https://home.example", **SAME_ORIGIN}).status_code == 200
    assert inside.get("/", headers=LINK | {"sec-fetch-site": "none"}).status_code == 200


# --- the password


def test_without_the_password_there_is_only_the_login_page(behind: Behind, own_home: Home) -> None:
    knocking = browser(behind, Access(own_home, PASSWORD), "http://192.168.1.5:7860", LAN)
    page = knocking.get("/", headers={"accept": "text/html", "accept-language": "ja"})
    assert page.status_code == 401
    assert "合言葉" in page.text
    assert not re.findall(r'(?:src|href)="(?!data:)', page.text)
    for path in ("/p/a/avatar", "/static/x/moon.svg", "/static/x/app/icon-192.png", "/worker.js", "/manifest.json"):
        assert knocking.get(path).status_code == 401
    for origin in ("http://evil.example", "null", "http://192.168.1.5:8080"):  # no other page may try passwords
        for headers in ({"origin": origin}, {"origin": origin, "sec-fetch-site": "cross-site"}):
            assert knocking.post("/login", data={"password": PASSWORD}, headers=headers).status_code == 403
    # Browsers say `null` for the form of a page whose policy is to tell no referrer.
    assert page.headers["referrer-policy"] == "same-origin"

    def endless() -> Iterator[bytes]:
        for _ in range(100):
            yield b"password=" + b"x" * 1000

    assert knocking.post("/login", content=endless()).status_code == 401
    own = {"origin": "http://192.168.1.5:7860"}
    assert knocking.post("/login", data={"password": PASSWORD}, headers=own).status_code == 303
    assert behind.asked == 0


def test_the_password_opens_and_a_wrong_one_does_not(behind: Behind, own_home: Home) -> None:
    kept = Access(own_home)
    kept.set_password(PASSWORD)
    for access in (kept, Access(own_home, PASSWORD)):
        visitor = browser(behind, access)
        assert visitor.post("/login", data={"password": PASSWORD[:-1]}).status_code == 401
        assert visitor.get("/").status_code == 401
        assert visitor.post("/login", data={"password": PASSWORD}).status_code == 303
        assert visitor.get("/").text == "inside /"
        led = browser(behind, access).get(f"/?token={access.token}")
        assert (led.headers["location"], led.headers.get("set-cookie")) == ("/", None)


def test_only_a_slow_hash_is_kept_and_a_new_word_ends_visits(behind: Behind, access: Access, own_home: Home) -> None:
    access.set_password(unicodedata.normalize("NFD", "カフェのガーデン"))
    assert access.is_password("カフェのガーデン")  # from a keyboard that composes letters in another way
    visitor, before = let_in(behind, access), own_home.access.read_text("utf-8")
    access.set_password(PASSWORD)
    kept = own_home.access.read_text("utf-8")
    assert PASSWORD not in kept
    assert ascii(PASSWORD)[1:-1] not in kept
    assert "scrypt$32768$8$3$" in kept
    assert visitor.get("/").status_code == 401
    visitor = let_in(behind, access)
    assert visitor.get("/").status_code == 200
    access.set_password(PASSWORD)
    assert own_home.access.read_text("utf-8") not in {before, kept}  # salted
    visitor = let_in(behind, access)
    Access(own_home).remove_password()
    assert visitor.get("/").status_code == 401


def knocks(knocking: TestClient, access: Access, host: str) -> Iterator[Any]:
    headers = {"host": host, "accept": "text/html"}
    for password in ("no", PASSWORD):
        yield knocking.post("/login", data={"password": password}, headers=headers)
    yield knocking.get(f"/?token={access.token}", headers=headers)


def test_under_foreign_names_nobody_learns(behind: Behind, own_home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page elsewhere that gives its name our address has the origin of whatever answers it there."""
    monkeypatch.setattr(socket, "gethostname", lambda: "Aoi-PC.lan")
    here = ("127.0.0.1:7860", "localhost:7860", "[::1]:7860", "LOCALHOST")
    more = ("192.168.1.5:7860", "[fd00::5]", "Aoi-PC", "aoi-pc.local:1", "aoi-pc.lan", "home.example")
    evil = ("evil.example", "127.0.0.1.evil.example", "aoi-pc.evil", "a.home.example", "", "127.0.0.1:x", "::1", "1")
    for access, own, others in ((Access(own_home), here, more + evil), (Access(own_home, PASSWORD), here + more, evil)):
        knocking = browser(behind, access, peer=LAN)
        for host in own:
            assert 303 in [answer.status_code for answer in knocks(knocking, access, host)], host
        asked = behind.asked
        with monkeypatch.context() as counted:
            counted.setattr(Guesses, "turn", None)  # no guess is counted, none is looked at
            refused = [answer for host in others for answer in knocks(knocking, access, host)]
        assert {answer.status_code for answer in refused} == {421}
        assert len({str(seen(answer)) for answer in refused}) == 1
        assert not {"set-cookie", "location"} & set(refused[0].headers)
        assert not re.search("utatane|うたた寝|<", refused[0].text.lower())
        assert behind.asked == asked


def test_the_cookie_is_for_encrypted_lines_alone_where_the_browser_s_is_one(behind: Behind, own_home: Home) -> None:
    for origin, said, is_secure in (
        (ORIGIN, "", False),
        (ORIGIN, "HTTPS", True),
        (ORIGIN, "https, http", True),  # the browser's side of two proxies
        (ORIGIN, "http, https", False),
        ("https://127.0.0.1", "", True),
    ):
        visitor = browser(behind, Access(own_home, PASSWORD), origin)
        visitor.headers["x-forwarded-proto"] = said
        given = visitor.post("/login", data={"password": PASSWORD}).headers["set-cookie"]
        shown = {"cookie": given.partition(";")[0], "accept": "text/html"}
        for kept in (given, visitor.get("/", headers=shown).headers["set-cookie"]):
            assert kept.partition(";")[0] == shown["cookie"]
            assert set(kept.split("; ")[2:]) == {"Path=/", "HttpOnly", "SameSite=Strict", *["Secure"] * is_secure}


def test_visits_outlive_the_program_are_kept_as_hashes_and_go_when_they_are_many_or_old(own_home: Home) -> None:
    now = [datetime(2026, 1, 2, 3, 4)]
    access = Access(own_home, PASSWORD, lambda: now[0])
    used, unused = access.come_in("Safari", "iPhone"), access.come_in("Firefox", "Windows")
    assert used not in own_home.access.read_text()
    now[0] += LONGEST_UNSEEN - timedelta(hours=1)
    access.see(access.visits()[[one.browser for one in access.visits()].index("Safari")])
    now[0] += timedelta(hours=1)
    again = Access(own_home, PASSWORD, lambda: now[0])
    assert [visit.browser for visit in again.visits()] == ["Safari"]
    assert again.visit(unused) is None
    assert Access(own_home, "another long password", lambda: now[0]).visit(used) is None
    for _ in range(MOST_VISITS):
        last = again.come_in()
    assert (len(again.visits()), again.visit(used)) == (MOST_VISITS, None)
    assert again.visit(last)


def test_browsers_of_one_kind_share_a_visit_and_it_stays_ended(access: Access, monkeypatch: pytest.MonkeyPatch) -> None:
    cookie = access.come_in("Firefox", "Windows")
    assert access.come_in("Firefox", "Windows") == cookie != access.come_in("Chrome", "Windows")
    access.end(*access.visits())
    again = access.come_in("Firefox", "Windows")
    assert again != cookie
    assert access.visit(cookie) is None

    def full(path: Path, *_: object) -> None:
        raise DiskFullError(path=path)

    monkeypatch.setattr("managers.storage.access.write_atomic", full)
    assert access.visit(access.come_in("Safari", "Mac"))  # it ends with the program
    with pytest.raises(DiskFullError):
        access.end(*access.visits())
    assert not access.visits()


def test_tokens_are_guessed_no_faster_than_passwords_and_the_owner_comes_in(behind: Behind, access: Access) -> None:
    """While one wrong guess is being answered, another one from there is not even looked at."""
    with browser(behind, access, pause=1.0) as knocking, ThreadPoolExecutor(8) as many:
        guesses = [many.submit(knocking.get, f"/?token={number}") for number in range(8)]
        assert knocking.get(f"/?token={access.token}").status_code == 303
        assert {guess.result().status_code for guess in guesses} == {401, 429}
    assert behind.asked == 0


def test_guessing_from_many_addresses_is_no_faster_and_the_owner_waits_a_moment_at_most(own_home: Home) -> None:
    guesses, order = Guesses(0.2), list[str]()

    async def guess(address: str) -> None:
        async with guesses.turn(address) as was_wrong:
            order.append(address)
            await was_wrong()

    async def besiege() -> None:
        async with anyio.create_task_group() as strangers:
            for number in range(5):
                strangers.start_soon(guess, f"192.168.7.{number}")
            await anyio.sleep(0.01)
            async with guesses.turn(HERE):  # who sits at this computer waits for nobody
                order.append("here")
            async with guesses.turn("192.168.1.2"):
                order.append("owner")

    anyio.run(besiege)
    crowd = [f"192.168.7.{number}" for number in range(5)]
    assert order == [crowd[0], "here", *crowd[1:], "owner"]  # one by one, as they came


def test_a_crowd_is_sent_away_and_wrong_guesses_take_longer_and_longer() -> None:
    async def crowd() -> tuple[int, float]:
        guesses, refused = Guesses(0.01), 0
        begun = anyio.current_time()
        for _ in range(30):
            async with guesses.turn("2001:db8::1") as was_wrong:
                await was_wrong()
        took = anyio.current_time() - begun

        async def guess(address: str) -> None:
            nonlocal refused
            try:
                async with guesses.turn(address) as was_wrong:
                    await was_wrong()
            except TooManyGuessesError:
                refused += 1

        async with anyio.create_task_group() as strangers:
            for number in range(100):
                strangers.start_soon(guess, f"2001:db8:0:{number}::1")
                strangers.start_soon(guess, f"2001:db8:0:{number}::2")  # of the same household
        return refused, took

    refused, took = anyio.run(crowd)
    assert refused == 192
    assert took > 0.3 + 0.2


# --- the whole server

WHO = "ひみつのひと"
SOCKET = ORIGIN.replace("http", "ws")
KEPT_OUT = {"cross-origin-resource-policy": "same-origin", "cross-origin-opener-policy": "same-origin"}


LEADING_AWAY = re.compile(
    r'<a href="https://(?:aistudio\.google\.com|platform\.claude\.com|openrouter\.ai|platform\.openai\.com|ollama\.com)/[\w/-]*"'
    r' target="_blank" rel="noreferrer">'
)
"""Where keys are made, and where Ollama is got: links that somebody has to press, and that tell nothing of this page."""
CLOSED = (
    "/file=/etc/passwd", "/gradio_api/file=/etc/passwd", "/monitoring", "/docs", "/redoc", "/openapi.json",
    "/theme.css", "/static/x/../../pyproject.toml", "/static/x/%2e%2e/%2e%2e/pyproject.toml",
    "/static/x/..%2f..%2fpyproject.toml", "/static/x/..%2f..%2fdocs/screenshots/days-en.png",
    "/static/x/scripts/1-page.js"
)  # fmt: skip


@pytest.fixture
def services(own_home: Home) -> Iterator[Services]:
    services = open_services(own_home, SystemClock(), Random(1))
    yield services
    services.close()


@dataclass(frozen=True)
class Whole:
    """A whole server, all ways in for programs open, and who knocks at it."""

    services: Services
    addresses: Sequence[Address]
    stranger: TestClient
    visitor: TestClient

    def asked(self) -> Iterator[tuple[str, str]]:
        """Yield every method and address that is answered, but for WebSockets."""
        for address in self.addresses:
            for method in sorted(address.methods):
                yield method, address.filled(persona=WHO)

    def log_of(self, name: str) -> ConversationLog:
        return self.services.companion(self.services.personas.create(name, language="ja").name).memories.log


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Whole]:
    services = open_services(Home(tmp_path_factory.mktemp("home")), SystemClock(), Random(1))
    services.settings_file.change("programs", api=True, mcp=True)
    services.personas.create(WHO, language="ja")
    stranger, visitor = stranger_to(services), visitor_of(services)
    assert isinstance(visitor.app, Gate)
    assert isinstance(visitor.app._app, Starlette)
    yield Whole(services, [*addresses_of(visitor.app._app.routes)], stranger, visitor)
    services.close()


@pytest.fixture(scope="module")
def visitor(whole: Whole) -> TestClient:
    return whole.visitor


def test_a_server_starts_where_it_may(services: Services) -> None:
    with pytest.raises(PasswordNeededError):  # other machines need one
        launch(services, Access(services.home), "0.0.0.0", 0)
    with closing(_listen("127.0.0.1", 0)) as taken:
        # What asyncio goes by: of other sockets it leaves Nagle's algorithm on, which cost 40 ms an answer.
        assert taken.proto == socket.IPPROTO_TCP
        with pytest.raises(PortInUseError, match=str(taken.getsockname()[1])):
            launch(services, Access(services.home), "127.0.0.1", taken.getsockname()[1])


def test_a_stranger_is_refused_everywhere_and_learns_nothing(whole: Whole) -> None:
    paths = {address.path for address in whole.addresses}  # rooms, files and Gradio's engine: all is known here
    assert paths > {"/", "/p/{persona}/", "/p/{persona}/live", "/settings/{group}", "/worker.js", MCP, *ALLOWED}
    assert any(path.startswith("/p/{persona}/memories/") for path in paths)
    assert len(paths) > 90
    for method, path in whole.asked():
        answer = whole.stranger.request(method, path)
        assert answer.status_code == 401, (method, path)
        assert WHO not in answer.text
        assert "Hazel" not in answer.text
        assert answer.headers.items() >= KEPT_OUT.items()
        nobody = whole.stranger.request(method, path.replace(WHO, "だれでもないひと"))
        assert seen(nobody) == seen(answer)


def test_another_page_and_another_name_are_refused_everywhere_with_the_cookie_and_without(whole: Whole) -> None:
    elsewhere = {"origin": "http://evil.example", "sec-fetch-site": "cross-site"}
    others = (elsewhere, {"origin": "http://127.0.0.1:3000"}, {"sec-fetch-site": "same-site", **PICTURE})
    ways, told = itertools.cycle(itertools.product((whole.visitor, whole.stranger), others)), set()
    for method, path in whole.asked():
        one, headers = next(ways)
        answer = one.request(method, path, headers=headers)
        assert answer.status_code == 403, (method, path, headers)
        told.add(answer.content)
        assert whole.visitor.request(method, path, headers={"host": "evil.example"}).status_code == 421, (method, path)
        asking = whole.visitor.options(path, headers={**elsewhere, "access-control-request-method": method})
        assert asking.status_code == 403
        assert not [name for name in asking.headers if name.startswith("access-control-")]
    assert len(told - {b""}) == 1
    knocks = [(whole.stranger, {"origin": ORIGIN})]
    knocks += [(whole.visitor, said) for said in ({"origin": "http://evil.example"}, {"host": "evil.example"})]
    for path in [address.filled(persona=WHO) for address in whole.addresses if not address.methods]:
        for one, headers in knocks:
            with pytest.raises(WebSocketDisconnect), one.websocket_connect(SOCKET + path, headers=headers):
                pass


def test_programs_and_windows_are_not_answered_under_other_names_where_a_password_is_asked(services: Services) -> None:
    services.settings_file.change("programs", api=True, mcp=True)
    visitor, window = visitor_of(services, PASSWORD), f"{SOCKET}/p/Hazel/live"
    services.settings_file.change("page", hosts=["home.example"])
    ours, others = (
        {"host": host, "authorization": f"Bearer {Access(services.home).programs_token}"}
        for host in ("home.example", "evil.test")
    )
    assert visitor.get("/config", headers=ours).status_code == 200
    for method, path in itertools.product(("GET", "POST", "DELETE"), (*ALLOWED, MCP, "/p/Hazel/")):
        assert visitor.request(method, path, headers=others).status_code == 421, (method, path)
    with visitor.websocket_connect(window, headers=ours):
        pass
    with pytest.raises(WebSocketDisconnect), visitor.websocket_connect(window, headers=others):
        pass


def test_what_is_answered_keeps_others_out_and_names_no_foreign_address(whole: Whole) -> None:
    pages = 0
    for method, path in whole.asked():
        if method != "GET":
            continue
        answer = whole.visitor.get(path, headers={"origin": ORIGIN, **SAME_ORIGIN})
        if way_to(path) is None:
            assert answer.status_code in {200, 204, 303, 307, 400, 404}, path
        else:
            assert answer.status_code == 401, path  # the page's cookie opens no way for programs
        for name, value in KEPT_OUT.items():
            assert answer.headers.get_list(name) == [value], path
        assert "access-control-allow-origin" not in answer.headers
        assert "default-src" in answer.headers["content-security-policy"]
        assert "unsafe-eval" not in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        if answer.headers.get("content-type", "").startswith("text/html"):
            pages += 1
            text = LEADING_AWAY.sub("", answer.text)
            assert not re.findall(r'(?:src|href|action|data-src|data-live)="(?:\w+:)?//[^"]*', text), path
    assert pages > 30


def test_the_language_is_chosen_here_in_the_settings_or_by_the_browser(whole: Whole) -> None:
    for cookie, setting, accepted, expected in (
        ("", "auto", "ja,en;q=0.5", "ja"), ("", "auto", "en", "en"), ("", "auto", "fr", "en"),
        ("", "ja", "en", "ja"), ("en", "ja", "ja", "en"), ("xx", "auto", "ja", "ja")
    ):  # fmt: skip
        whole.services.settings_file.change("page", language=setting)
        visitor = TestClient(whole.visitor.app, base_url=ORIGIN, client=(HERE, 50_000), cookies=whole.visitor.cookies)
        if cookie:
            answer = visitor.post("/language", data={"language": cookie, "back": f"/p/{WHO}/"}, follow_redirects=False)
            assert answer.headers["location"] == f"/p/{quote(WHO)}/"
        page = visitor.get(f"/p/{WHO}/", headers={"accept-language": accepted})
        assert f'<html lang="{expected}"' in page.text, (cookie, setting, accepted)
    whole.services.settings_file.change("page", language="auto")
    for back in ("http://evil.example/", "//evil.example/", "/\\evil.example/", "javascript:x"):
        for path, data in (("/language", {"language": "en"}), ("/look", {"look": "auto"})):
            assert whole.visitor.post(path, data={**data, "back": back}).headers["location"] == "/"


def test_doors_that_nobody_uses_are_closed(services: Services) -> None:
    visitor = visitor_of(services)
    answers = {path: visitor.get(path).status_code for path in CLOSED}
    assert answers == dict.fromkeys(CLOSED, 404)


def test_a_persona_s_pictures_and_words_are_served_and_nothing_else(visitor: TestClient, whole: Whole) -> None:
    paths = whole.services.personas.create("ひと", language="ja").paths
    paths.attachments.mkdir()
    (paths.attachments / "a.png").write_bytes(b"\x89PNG")
    (paths.attachments / "a.svg").write_text("<svg onload='alert(1)'/>")
    picture = visitor.get("/p/ひと/attachments/a.png")
    assert (picture.status_code, picture.headers["content-type"]) == (200, "image/png")
    assert "sandbox" in picture.headers["content-security-policy"]
    assert visitor.get("/p/ひと/attachments/a.svg").headers["content-disposition"].startswith("attachment")
    for path in ("..%2fcore_memory.txt", "%2e%2e%2fcore_memory.txt", "../core_memory.txt", "..%5ccore_memory.txt"):
        answer = visitor.get(f"/p/ひと/attachments/{path}")
        assert answer.status_code in {400, 404}
        assert "core_memory" not in answer.headers.get("content-disposition", "")
    assert visitor.get("/p/..%2f..%2fsettings/avatar").status_code in {400, 404}
    assert visitor.get("/p/nobody/avatar").status_code == 404
    said = whole.log_of("ながい").append("user", "ミナ", "<script>alert(1)</script>")
    answer = visitor.get(f"/p/ながい/messages/{said.id}")  # a whole message can be read as plain text
    assert (answer.text, answer.headers["content-type"][:10]) == (said.text, "text/plain")
    assert "sandbox" in answer.headers["content-security-policy"]
    assert visitor.get("/p/ながい/messages/none").status_code == 404


def test_a_window_is_told_when_the_log_moves(visitor: TestClient, whole: Whole) -> None:
    log = whole.log_of("うごく")
    with visitor.websocket_connect(f"{SOCKET}/p/うごく/live", headers={"origin": ORIGIN}) as window:
        before = _revision(window)
        log.append("user", "ミナ", "やあ")
        assert _revision(window) != before
        window.send_text("mind")  # the page was drawn anew: it is told again which mind speaks
        assert _next(window, "mind")


def test_a_window_opened_while_the_token_changes_is_shut(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    follow = Live.follow

    async def late(self: Live, socket: WebSocket, watched: Watched[Any]) -> None:
        Access(services.home).renew_token()
        await follow(self, socket, watched)

    monkeypatch.setattr(Live, "follow", late)
    with visitor_of(services).websocket_connect(f"{SOCKET}/p/Hazel/live", headers={"origin": ORIGIN}) as window:
        while (told := window.receive())["type"] != "websocket.close":
            pass
    assert told["code"] == 4401


def test_a_look_that_fails_leaves_the_windows_live(
    visitor: TestClient, whole: Whole, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    log, failing = whole.log_of("めげない"), [True]

    def failed(services: Services, companion: Companion) -> str:
        if failing.pop() if failing else False:
            raise PermissionError
        return revision_of(services, companion)

    monkeypatch.setattr("ui.server.watched.revision_of", failed)
    with visitor.websocket_connect(f"{SOCKET}/p/めげない/live", headers={"origin": ORIGIN}) as window:
        before = _revision(window)
        log.append("user", "ミナ", "やあ")
        assert _revision(window) != before
    assert "PermissionError" in caplog.text


def _revision(window: WebSocketTestSession) -> str:
    """Return the next revision that a window is told."""
    return str(_next(window, "state")["revision"])


def _next(window: WebSocketTestSession, kind: str) -> dict[str, Any]:
    """Return the next thing of a kind that a window is told."""
    while (told := window.receive_json())["is"] != kind:
        pass
    return dict(told)
