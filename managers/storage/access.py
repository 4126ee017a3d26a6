"""Who may open the page: the token in its address, or a password, of which only a hash is kept; and other programs' token.

`.access.json` in the home folder, readable by its owner alone:

    {"format": 1, "id": "5f0c…", "token": "…", "password": "scrypt$…", "programs": "…",
     "visits": [{"digest": …, "opened_by": …, "browser": "Firefox", "system": "Windows", …}]}

The token is made once, so that bookmarks and an installed page go on working after a restart. A browser that came with
it, or knew the password, keeps a cookie of its own. Only a hash of that is kept, with a seal that the token makes over
whatever opens the page: another token or password ends every visit at once, in a server that is running, too.
The programs' token opens no page, and the page's opens nothing to programs.
"""

import base64
import hashlib
import hmac
import json
import logging
import secrets
import threading
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any
from urllib.parse import quote

from managers.storage.errors import BusyError, DiskFullError, Notice, PasswordTooShortError, UnwritableError
from managers.storage.files import read_bytes, set_aside, write_atomic
from managers.storage.locks import holding
from managers.storage.paths import Home
from managers.storage.visits import BrowserVisit, current_visits, digest_of, parse_visits

logger = logging.getLogger(__name__)

FORMAT = 1
TOKEN = "token"  # noqa: S105  # its name in an address
LEAST_PASSWORD = 8
"""Characters. Guesses are slow (`ui/server/guesses.py`) and the hash is, too; short words are still soon tried."""
_TOKEN_BYTES = 32
_SCRYPT = {"n": 2**15, "r": 8, "p": 3}
"""32 MB and some 0.2 s a guess: one of the settings that OWASP's cheat sheet on storing passwords holds for equal."""
_SCRYPT_MEMORY = 64 * 2**20
_SALT_BYTES = 16


@dataclass(frozen=True, slots=True)
class _Record:
    """What the file holds."""

    id: str
    """Names the browsers' cookie: cookies know no ports, and another home folder may be open beside this one."""
    token: str
    password: str = ""
    programs: str = ""
    """What other programs come in with; empty until somebody has asked for it."""
    visits: tuple[BrowserVisit, ...] = ()
    format: int = field(default=FORMAT)


_Change = Callable[[Iterable[BrowserVisit]], Iterable[BrowserVisit]]


class Access:
    """What opens the page of a home folder. Safe to use from several threads; follows what other processes change.

    What cannot be written raises DiskFullError, UnwritableError or BusyError.
    """

    def __init__(self, home: Home, given: str = "", now: Callable[[], datetime] = datetime.now) -> None:
        """Remember the home; nothing is read or made yet.

        Args:
            home: whose page it is.
            given: a password that holds instead of a kept one for as long as this process runs.
            now: the clock of the visits.

        Raises:
            PasswordTooShortError
        """
        if given:
            _check(given)
        self._path = home.access
        self._name = home.folder.name
        self._given, self._now = _plain(given), now
        self._reading = threading.Lock()
        self._known: _Record | None = None
        self._seen: tuple[int, ...] | None = None
        self.notices: list[Notice] = []

    @property
    def token(self) -> str:
        """What the page's address holds where there is no password; made when it is first asked for."""
        return self._record().token

    @property
    def needs_password(self) -> bool:
        """Tell whether a password is asked for; the token opens nothing then."""
        return bool(self._given or self._record().password)

    @property
    def is_given(self) -> bool:
        """Tell whether the password is one that was given to this process: it cannot be changed here."""
        return bool(self._given)

    @property
    def cookie(self) -> str:
        return f"utatane_{self._record().id}"

    def address(self, origin: str) -> str:
        """Return the address that opens the page: with the token, where no password is asked for."""
        return origin if self.needs_password else f"{origin}?{TOKEN}={quote(self.token, safe='')}"

    def visits(self) -> tuple[BrowserVisit, ...]:
        """Return the visits that go on, those that were seen last first."""
        record = self._record()
        return current_visits(record.visits, self._seal(record), self._now())

    def visit(self, cookie: str) -> BrowserVisit | None:
        """Return the visit that a cookie belongs to; None for one that opens nothing."""
        digest = digest_of(cookie)
        return next((visit for visit in self.visits() if visit.digest == digest), None)

    def come_in(self, browser: str = "", system: str = "") -> str:
        """Begin a visit and return what its cookie holds; where nothing can be written it ends with the process.

        Browsers of one kind share the visit that the token opens: with a new one at each start of the program nobody
        would know which of so many a browser still has.
        """
        record, now = self._record(), self._now()
        same = [visit.begun for visit in self.visits() if (visit.browser, visit.system) == (browser, system)]
        begun = now if self.needs_password or not same else same[0]
        shared = _sealed(record.token, f"visit\0{browser}\0{system}\0{begun.isoformat()}")
        cookie = secrets.token_urlsafe(_TOKEN_BYTES) if self.needs_password else shared
        visit = BrowserVisit(digest_of(cookie), self._seal(record), browser, system, begun, now)
        self._keep(lambda visits: [visit, *(one for one in visits if one.digest != visit.digest)])
        return cookie

    def see(self, visit: BrowserVisit) -> None:
        """Note that a visit has opened a page today."""
        seen = replace(visit, seen=self._now())
        if seen.seen.date() != visit.seen.date():
            self._keep(lambda visits: [seen if one.digest == seen.digest else one for one in visits])

    def end(self, *ended: BrowserVisit) -> None:
        """End visits; where that cannot be written, which is raised, they have ended for as long as this process runs."""
        digests = {visit.digest for visit in ended}
        self._keep(lambda visits: [one for one in visits if one.digest not in digests], must_last=True)

    def is_token(self, text: str) -> bool:
        """Tell whether this token opens the page; none does where a password is asked for."""
        return hmac.compare_digest(text.encode(), self.token.encode()) and not self.needs_password

    def is_password(self, text: str) -> bool:
        """Tell whether this is the password. Takes its time: some 0.2 s where a hash is kept."""
        if self._given:
            return hmac.compare_digest(_plain(text), self._given)
        return _fits(text, self._record().password)

    @property
    def programs_token(self) -> str:
        """What other programs come in with; made when it is first asked for."""
        return self._record().programs or self.renew_programs_token()

    def is_programs_token(self, text: str) -> bool:
        """Tell whether another program may come in with this token."""
        token = self._record().programs
        return bool(token) and hmac.compare_digest(text.encode(), token.encode())

    def renew_programs_token(self) -> str:
        """Make another token for programs and return it; the old one opens nothing any more. No visit ends."""
        return self._change(lambda record: replace(record, programs=secrets.token_urlsafe(_TOKEN_BYTES))).programs

    def renew_token(self) -> str:
        """Make another token and return it; the old one opens nothing any more, and every browser's visit ends."""
        return self._change(lambda record: replace(record, token=secrets.token_urlsafe(_TOKEN_BYTES))).token

    def set_password(self, text: str) -> None:
        """Keep another password's hash; every browser's visit ends.

        Raises:
            PasswordTooShortError
        """
        _check(text)
        hashed = _hashed(text)
        self._change(lambda record: replace(record, password=hashed))

    def remove_password(self) -> None:
        """Ask for no kept password any more: the token opens the page; every browser's visit ends."""
        self._change(lambda record: replace(record, password=""))

    def _seal(self, record: _Record) -> str:
        opens = hashlib.sha256(self._given).hexdigest() if self._given else record.password
        return _sealed(record.token, f"session\0{opens}")

    def _keep(self, change: _Change, *, must_last: bool = False) -> None:
        def changed(record: _Record) -> _Record:
            return replace(record, visits=current_visits(change(record.visits), self._seal(record), self._now()))

        try:
            self._change(changed)
        except (BusyError, DiskFullError, UnwritableError):
            record = changed(self._record())
            with self._reading:
                self._known = record
            if must_last:
                raise
            logger.warning("visits could not be kept: as they are now they end with the program")

    def _record(self) -> _Record:
        """Return what the file holds now; the file is made if there is none.

        Where none can be made (a home that is only read) the token holds for as long as the process runs.
        """
        with self._reading:
            seen = self._look()
            if self._known is None or (seen is not None and seen != self._seen):
                self._known = self._read() or self._known or self._made()
                self._seen = self._look()
            return self._known

    def _look(self) -> tuple[int, ...] | None:
        try:
            now = self._path.stat()
        except OSError:
            return None
        return now.st_mtime_ns, now.st_size, now.st_ino

    def _read(self) -> _Record | None:
        data = read_bytes(self._path)
        return None if data is None else _parsed(data)

    def _made(self) -> _Record:
        record = _Record(secrets.token_hex(4), secrets.token_urlsafe(_TOKEN_BYTES))
        try:
            with holding(self._path.with_name(".access.lock"), self._name):
                if (found := self._read()) is not None:
                    return found  # another process came first
                if self._path.exists():
                    self.notices.append(set_aside(self._path, self._now()))
                self._write(record)
        except (UnwritableError, DiskFullError):
            logger.warning("the page's token could not be kept: it holds until the program ends")
        return record

    def _change(self, change: Callable[[_Record], _Record]) -> _Record:
        with holding(self._path.with_name(".access.lock"), self._name):
            record = change(self._record())
            self._write(record)
        with self._reading:
            self._known, self._seen = record, self._look()
        return record

    def _write(self, record: _Record) -> None:
        write_atomic(self._path, json.dumps(asdict(record), indent=2, default=datetime.isoformat) + "\n")


def _parsed(data: bytes) -> _Record | None:
    """Return what a file holds; None if it is not one of ours: nobody comes in by what cannot be understood."""
    try:
        table: Any = {"programs": "", "visits": (), **json.loads(data)}
        texts = name, token, password, programs = [table[key] for key in ("id", "token", "password", "programs")]
        visits = parse_visits(table["visits"])
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    if not all(isinstance(text, str) and text.isascii() for text in texts):
        return None
    if not name.isalnum() or len(token) < _TOKEN_BYTES or 0 < len(programs) < _TOKEN_BYTES:
        return None
    return _Record(name, token, password, programs, visits)


def _sealed(key: str, text: str) -> str:
    return base64.urlsafe_b64encode(hmac.digest(key.encode(), text.encode(), "sha256")).decode().rstrip("=")


def _plain(text: str) -> bytes:
    """Return a password as it is compared: keyboards compose the same letter in different ways."""
    return unicodedata.normalize("NFC", text).encode("utf-8", "surrogatepass")


def _check(text: str) -> None:
    if len(unicodedata.normalize("NFC", text)) < LEAST_PASSWORD:
        raise PasswordTooShortError(least=LEAST_PASSWORD)


def _hashed(text: str) -> str:
    salt = secrets.token_bytes(_SALT_BYTES)
    digest = hashlib.scrypt(_plain(text), salt=salt, maxmem=_SCRYPT_MEMORY, **_SCRYPT)
    numbers = "$".join(str(_SCRYPT[key]) for key in ("n", "r", "p"))
    return f"scrypt${numbers}${salt.hex()}${digest.hex()}"


def _fits(text: str, hashed: str) -> bool:
    """Tell whether a password has this hash; a hash that is none fits nothing."""
    try:
        kind, n, r, p, salt, digest = hashed.split("$")
        numbers = {"n": int(n), "r": int(r), "p": int(p)}
        found = hashlib.scrypt(_plain(text), salt=bytes.fromhex(salt), maxmem=_SCRYPT_MEMORY, **numbers)
        return kind == "scrypt" and hmac.compare_digest(found, bytes.fromhex(digest))
    except ValueError:
        return False
