"""A message from elsewhere as records of the log: what was said, its other answers, and what is noted beside it."""

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from managers.exchange.items import FoundAnswer, FoundFile, FoundMessage, NotTaken
from managers.exchange.spool import Waiting, first_text
from managers.memory.log.format import NEW_TOPIC, Record, tidy_name
from managers.memory.messages import Message
from managers.storage.errors import UnsafeNameError
from managers.storage.files import digest, read_bytes, write_atomic
from managers.storage.opening import is_file
from managers.storage.paths import PersonaPaths, safe_name

_KIND: Final = re.compile(r"[a-z][a-z0-9_]{0,39}")
_SPOKEN_AS: Final = "imported"
"""What the program's own messages are called whose kind is none, or one that readers apply."""
_APPLIED: Final = frozenset(
    {"new_topic", "branch", "switch_branch", "edit", "delete", "forget", "remember", "regenerate", "choose", "erase"}
)
MAX_ATTACHMENT_BYTES: Final = 20_000_000


@dataclass
class MessageRecords:
    """Makes records of messages, in the order of time.

    Attributes:
        paths: the persona.
        names: under which names words stand that have none in the source: the user's and the persona's.
        fetch: gives the bytes of a file of the source.
        left_out: what could not be taken of the messages, and why.
        origins: the source, where nobody let it in whole (`Message.origins`).
        files: how many files are kept.
    """

    paths: PersonaPaths
    names: tuple[str, str]
    fetch: Callable[[str], bytes | None]
    left_out: Callable[[NotTaken], None]
    origins: tuple[str, ...] = ()
    files: int = 0
    _thread: str | None = None

    def of(self, waiting: Waiting) -> Sequence[Record]:
        """Return the records of a message, the message itself among them; its files are kept.

        Raises:
            DiskFullError, UnwritableError
        """
        return list(self._records(waiting))

    def skip(self, waiting: Waiting) -> None:
        """Pass over a message that is there already: which conversation it belongs to is known then."""
        self._thread = waiting.found.thread

    def _records(self, waiting: Waiting) -> Iterator[Record]:
        found, time = waiting.found, waiting.time
        is_begun = found.thread != self._thread
        self._thread = found.thread
        if is_begun and found.thread:
            yield Record(_beside(waiting, NEW_TOPIC, "topic"))
        kept = [(path, file) for file in found.files if (path := self._keep(file, found.place))]
        answers = [*found.answers[: found.at], FoundAnswer(found.text, found.mind, found.thought)]
        answers += found.answers[found.at :]
        shown = min(found.at, len(found.answers))
        yield Record(
            Message(
                waiting.id,
                time,
                found.role,
                self._speaker(found),
                first_text(found),
                answers[0].mind if found.role in {"persona", "other"} else "",
                attachments=tuple(path for path, _ in kept),
                attachment_names=tuple(file.name or PurePosixPath(file.path).name for _, file in kept),
                origins=(*found.origins, *self.origins),
            )
        )
        yield from self._notes(waiting, is_begun=is_begun)
        yield from _other_answers(waiting, answers, shown)

    def _notes(self, waiting: Waiting, *, is_begun: bool) -> Iterator[Record]:
        found = waiting.found
        beside = [("title", found.thread if is_begun else ""), ("emotion", found.emotion), *found.notes]
        beside += [("thought", answer.thought) for answer in found.answers] + [("thought", found.thought)]
        for number, (kind, text) in enumerate(beside):
            if text.strip():
                yield Record(_beside(waiting, _kind(kind), f"note{number}", text), deletes=True, about=waiting.id)

    def _speaker(self, found: FoundMessage) -> str:
        if found.role == "system":
            return _kind(found.speaker)
        user, persona = self.names
        return tidy_name(found.speaker) or (user if found.role == "user" else persona)

    def _keep(self, file: FoundFile, place: str) -> str:
        """Keep a file that was sent along; return where, in the persona's folder, or nothing if it cannot be kept."""
        name = PurePosixPath(file.name or file.path).name
        data = self.fetch(file.path)
        if not data or len(data) > MAX_ATTACHMENT_BYTES:
            self.left_out(NotTaken("engine.file", place, facts={"name": name[:80]}))
            return ""
        target = self.paths.attachments / f"im-{digest(data)[:16]}-{_tidy(name)}"
        if not is_file(target) or read_bytes(target) != data:
            write_atomic(target, data)
        self.files += 1
        return target.relative_to(self.paths.folder).as_posix()


def _other_answers(waiting: Waiting, answers: Sequence[FoundAnswer], shown: int) -> Iterator[Record]:
    """Yield the records by which the other answers of a place can be leafed through, and the right one is shown."""
    ids = [""]
    for number, answer in enumerate(answers[1:], 1):
        message = _beside(waiting, "regenerate", f"answer{number}", answer.text, answer.mind)
        ids.append(message.id)
        yield Record(message, target=waiting.id, variant=message.id)
    if shown != len(answers) - 1:
        chosen = answers[shown]
        message = _beside(waiting, "choose", "choice", chosen.text, chosen.mind)
        yield Record(message, target=waiting.id, variant=ids[shown])


def _beside(waiting: Waiting, kind: str, part: str, text: str = "", mind: str = "") -> Message:
    made = hashlib.sha256(f"{waiting.id}\x1f{part}".encode()).hexdigest()[:20]
    return Message(f"im-{made}", waiting.time, "system", kind, text, mind)


def _kind(given: str) -> str:
    kind = given.lower().replace("-", "_").replace(" ", "_")
    return kind if _KIND.fullmatch(kind) and kind not in _APPLIED else _SPOKEN_AS


def _tidy(name: str) -> str:
    try:
        return safe_name(name)[-60:].lstrip(".~- ")
    except UnsafeNameError:
        return f"file{PurePosixPath(name).suffix[:8]}" if name.isascii() else "file"
