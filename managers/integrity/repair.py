"""Putting right what was found, on a yes: nothing is deleted, what leaves its place lies in `set_aside/`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from managers.integrity.inspection import is_no_json
from managers.integrity.trouble import Kind, Trouble, Words, words
from managers.memory.log import ConversationLog
from managers.memory.log.lost import accept
from managers.personas.file_recovery import is_text, newest_good
from managers.storage.aside import keep_aside, move_durably, put_aside
from managers.storage.clock import Clock
from managers.storage.encodings import decode_foreign
from managers.storage.files import dump_json, read_bytes
from managers.storage.history import History
from managers.storage.json_text import load_json
from managers.storage.locks import writing
from managers.storage.opening import kind
from managers.storage.paths import PersonaPaths
from managers.storage.spelling import decode


@dataclass(frozen=True)
class Mender:
    """Puts one persona's files right."""

    paths: PersonaPaths
    clock: Clock
    log: ConversationLog
    history: History

    def mend(self, trouble: Trouble) -> Words:
        """Do what was promised; return what was done.

        Raises:
            ShrinkRefusedError, UnreadableError, UnwritableError, DiskFullError, BusyError: this trouble stays.
        """
        ways: Mapping[Kind, Callable[[Trouble], Words]] = {
            "copy": self._copy,
            "orphan": self._orphan,
            "set-aside": self._give_back,
            "other-encoding": self._convert,
            "broken": self._broken,
            "history": self._heal,
            "lost": self._accept,
        }
        with writing(self.paths):
            return ways[trouble.kind](trouble)

    def _copy(self, trouble: Trouble) -> Words:
        path, original = self.paths.folder / trouble.name, self.paths.folder / trouble.original
        taken = differing = 0
        if self._is_of_the_log(trouble.original):
            merged = self.log.merge(path, original if original.parent == self.paths.log_archives else None)
            taken, differing = merged.added, len(merged.differing)
        kept = self._put_aside(path)
        told = [("done.taken", taken)] if self._is_of_the_log(trouble.original) else []
        told += [("done.differing", differing)] if differing else []
        also = [words(key, count=count) for key, count in told]
        each = {"ja": "".join(one.ja for one in also), "en": "".join(one.en for one in also)}
        return words("done.copy", name=trouble.name, also=each, kept=kept)

    def _orphan(self, trouble: Trouble) -> Words:
        path, original = self.paths.folder / trouble.name, self.paths.folder / trouble.original
        if kind(original) is not None:
            return self._copy(trouble)
        self.history.notice_outside([path])
        move_durably(path, original)
        self.history.record(author="user", reason="mended", files=[path, original])
        return words("done.named", name=trouble.name, original=trouble.original)

    def _give_back(self, trouble: Trouble) -> Words:
        """Let a file that was set aside return to its place, as far as it can be read."""
        path = self.paths.folder / trouble.name
        if not trouble.original or kind(path) == "folder":
            return self._only_aside(trouble, path)
        original = self.paths.folder / trouble.original
        if self._is_of_the_log(trouble.original):
            taken = self.log.merge(path, original if original.parent == self.paths.log_archives else None).added
            kept = self._put_aside(path)
            return words("done.records-back", name=trouble.name, taken=taken, kept=kept)
        there = read_bytes(original)
        good = _readable(trouble.original, read_bytes(path) or b"")
        if good is not None:
            good = _joined(trouble.original, good, there or b"")
        elif there is None:
            good = self._newest_good(original)
        if good is None or good == there:
            return self._only_aside(trouble, path)
        self._apply({original: good})
        kept = self._put_aside(path)
        return words("done.back", original=trouble.original, kept=kept)

    def _only_aside(self, trouble: Trouble, path: Path) -> Words:
        return words("done.aside", name=trouble.name, kept=self._put_aside(path))

    def _convert(self, trouble: Trouble) -> Words:
        path = self.paths.folder / trouble.name
        if self._is_of_the_log(trouble.name):
            kept = self.log.convert(path)
        else:
            text = decode_foreign(read_bytes(path) or b"")
            if text is None:  # somebody has been faster
                return words("done.readable-already", name=trouble.name)
            kept = keep_aside(self.paths.folder, path, self.clock.now())
            self._apply({path: text.encode()})
        name = kept.relative_to(self.paths.folder).as_posix()
        return words("done.converted", name=trouble.name, kept=name)

    def _broken(self, trouble: Trouble) -> Words:
        path = self.paths.folder / trouble.name
        self.history.notice_outside([path])
        good = self._newest_good(path)
        kept = self._put_aside(path)
        if good is None:
            return words("done.no-good-version", name=trouble.name, kept=kept)
        self._apply({path: good})
        return words("done.last-good", name=trouble.name, kept=kept)

    def _heal(self, trouble: Trouble) -> Words:
        del trouble
        return words("done.healed", healed=self.history.heal())

    def _accept(self, trouble: Trouble) -> Words:
        """Note that it is well so that these days' messages are gone."""
        accept(self.paths, frozenset(trouble.original.split()) | {""})
        return words("done.accepted", name=trouble.name)

    def _is_of_the_log(self, name: str) -> bool:
        return name == self.paths.log.name or name.startswith(f"{self.paths.log_archives.name}/")

    def _put_aside(self, path: Path) -> str:
        self.history.notice_outside([path])
        kept = put_aside(self.paths.folder, path, self.clock.now())
        self.history.record(author="user", reason="mended", files=[path])
        return kept.relative_to(self.paths.folder).as_posix()

    def _apply(self, changes: Mapping[Path, bytes | None]) -> None:
        self.history.change(changes, author="user", reason="mended")

    def _newest_good(self, path: Path) -> bytes | None:
        name = path.relative_to(self.paths.folder).as_posix()
        return newest_good(self.history, path, partial(_is_good, name))


def _is_good(name: str, data: bytes) -> bool:
    return is_text(data) and not is_no_json(name, data)


def _readable(name: str, data: bytes) -> bytes | None:
    """Return what a file says in UTF-8; None if it cannot be understood."""
    text = decode(data)[0] if is_text(data) else decode_foreign(data)
    found = (text or "").encode()
    return found if found and _is_good(name, found) else None


def _joined(name: str, old: bytes, now: bytes) -> bytes | None:
    """Return a file as it was before it was set aside, with what was written there since; None if that is not possible."""
    if not now.strip() or now == old:
        return old
    if name.endswith(".json"):
        merged = _with_records(load_json(old), load_json(now)) if _is_good(name, now) else None
        return None if merged is None else dump_json(merged).encode()
    if name.endswith(".txt") and is_text(now):
        return old.rstrip(b"\n") + b"\n\n" + decode(now)[0].encode()
    return None


def _with_records(old: Any, now: Any) -> Any:  # noqa: ANN401  # JSON
    """Return what is there now with the records that only the older one has; None where they are of different kinds."""
    if isinstance(old, list) and isinstance(now, list):
        there = [one.get("id", one) if isinstance(one, dict) else one for one in now]
        return now + [one for one in old if (one.get("id", one) if isinstance(one, dict) else one) not in there]
    if isinstance(old, dict) and isinstance(now, dict):
        merged = {**old, **now}
        for key in old.keys() & now.keys():
            if isinstance(old[key], list) and isinstance(now[key], list):
                merged[key] = _with_records(old[key], now[key])
        return merged
    return None
