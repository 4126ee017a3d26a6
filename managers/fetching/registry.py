"""The registry that models come from (huggingface.co): what each file is at one revision."""

import re
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote, urljoin, urlsplit

import httpx

from managers.fetching.errors import (
    FetchCrowdedError,
    FetchError,
    FetchGoneError,
    FetchRefusedError,
    FetchUnknownError,
)
from managers.fetching.fetched import Promise, Promised, Source
from managers.transport import client_options

ADDRESS: Final = "https://huggingface.co"
_REDIRECTS: Final = 3
_SECONDS: Final = 30.0
_COMMIT: Final = re.compile(r"[0-9a-f]{40}")
_SHA256: Final = re.compile(r"[0-9a-f]{64}")
_LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1"})
_OK, _TOO_MANY, _NONE = 200, 429, frozenset({401, 404, 410})  # 401: what is private, or is not


class Registry:
    """It, as far as one model is concerned."""

    def __init__(self, source: Source, address: str) -> None:
        """Remember whom to ask; nothing is asked yet."""
        self.source = source
        self.host = urlsplit(address).hostname or address
        self._address = address.rstrip("/")

    def client(self, file_bytes: int = 0) -> httpx.Client:
        """Return what asks it."""
        local = _is_loopback(self._address)
        options = client_options(httpx, self._address, local=local, blocking=True, file_bytes=file_bytes)
        return httpx.Client(**options, timeout=_SECONDS)

    def look_up(self, client: httpx.Client) -> Promise:
        """Return what is promised of the files.

        Raises:
            FetchError
        """
        repository, commit = f"{self._address}/api/models/{self.source.repository}", self.source.revision
        if not _COMMIT.fullmatch(commit):
            told = self._json(client, f"{repository}/revision/{quote(commit)}")
            commit = str(told.get("sha", "")) if isinstance(told, Mapping) else ""
            if not _COMMIT.fullmatch(commit):
                raise self.unknown()
        listed = self._json(client, f"{repository}/tree/{commit}?recursive=true")
        entries = [one for one in listed if isinstance(one, Mapping)] if isinstance(listed, list) else []
        known = {str(one.get("path")): one for one in entries}
        if missing := self.source.files.values() - known.keys():
            raise FetchGoneError(title=f"{self.source.title} ({min(missing)})", host=self.host)
        promised = [self._promised(name, known[path]) for name, path in self.source.files.items()]
        if sum(one.size for one in promised) > self.source.most_bytes:
            raise self.unknown()
        return Promise(self.source.repository, commit, promised)

    def opened(self, client: httpx.Client, commit: str, name: str, had: int) -> httpx.Response:
        """Return the answer for the rest of a file, following the registry to where it keeps it.

        Raises:
            FetchUnknownError: it leads to where nothing is fetched from.
        """
        path = quote(self.source.files[name])
        address = f"{self._address}/{self.source.repository}/resolve/{commit}/{path}"
        for _ in range(_REDIRECTS + 1):
            request = client.build_request("GET", address, headers={"range": f"bytes={had}-"} if had else {})
            response = client.send(request, stream=True)
            if not response.has_redirect_location:
                return response
            response.close()
            address = urljoin(address, response.headers["location"])
            if urlsplit(address).scheme != "https" and not (_is_loopback(self._address) and _is_loopback(address)):
                break
        raise self.unknown()

    def refusal(self, status: int) -> FetchError:
        """Return what an answer that brings nothing means."""
        facts = {"title": self.source.title, "host": self.host}
        if status == _TOO_MANY:
            return FetchCrowdedError(**facts)
        return FetchGoneError(**facts) if status in _NONE else FetchRefusedError(**facts, status=status)

    def unknown(self) -> FetchError:
        """Return that what it tells cannot be right."""
        return FetchUnknownError(title=self.source.title, host=self.host)

    def _json(self, client: httpx.Client, address: str) -> Any:  # noqa: ANN401  # JSON
        response = client.get(address)
        if response.status_code != _OK:
            raise self.refusal(response.status_code)
        try:
            return response.json()
        except (ValueError, RecursionError) as error:
            raise self.unknown() from error

    def _promised(self, name: str, facts: Mapping[str, Any]) -> Promised:
        held = facts.get("lfs")
        large: Mapping[str, Any] = held if isinstance(held, Mapping) else {}
        size, hashed = large.get("size", facts.get("size")), str((large or facts).get("oid", ""))
        if type(size) is not int or size <= 0 or not (_SHA256 if large else _COMMIT).fullmatch(hashed):
            raise self.unknown()
        return Promised(name, size, hashed)


def _is_loopback(address: str) -> bool:
    return (urlsplit(address).hostname or "") in _LOOPBACK
