r"""How messages stand in a log file: pure functions between bytes and records.

A record is a header, the text, an empty line, and a trailer::

    ## USER:Sara
    I saw a kingfisher today.

    2026-01-02 (Fri) 22:00:00 |  | 20260102T220000-7k2m9qx4

The trailer's fields are the model, the message's id, and where needed `branch=<id>`, `broken-off` or
`stopped`, `other` (the words of another persona: who it is stands in the header), `group=<id>`, `thread=<number>` and `present=[...]`
(JSON, the personas who heard it, in a conversation of several), `from=[...]` (JSON, `Message.origins`), `names=[...]` (JSON, what the sender of files calls them), `attachments=[...]` (JSON), and of records
that readers apply `after=<id>`, `about=<id>`, `variant=<id>`, and last `supersedes=<id>` (the record's text replaces
that message's) or `deletes=<id>`.
A record that deletes itself is not shown, whatever its kind: who does not know the kind passes it over.
A line of text that looks like a header or a trailer gets a backslash in front, and so does one that
already has backslashes there; reading takes exactly one away again. So text comes back as it was, and
`^## (USER|AGENT|SYSTEM):(.+?)$` finds headers and nothing else.

Lines end at ``\n`` and nowhere else when reading; what other readers may take for a line's end
(``\r``, form feed, U+2028 ...) is reckoned with when escaping.
"""

import hashlib
import json
import re
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from managers.memory.messages import Message, Role

NEW_TOPIC: Final = "new_topic"
"""The kind of the record that begins a new thread."""
BRANCH: Final = "branch"
"""The kind of the record that begins a branch of the conversation: it goes on `after` a message, and has the record's id."""
SWITCH: Final = "switch_branch"
"""The kind of the record that goes back to the branch on which it stands."""
DAMAGED: Final = "damaged"
"""The kind under which text is shown whose header was destroyed."""

MADE_UP: Final = "x-"
"""What the ids begin with that are made of a message's words, where its trailer has none: they change with the words."""
_MADE_ID: Final = re.compile(MADE_UP + r"[0-9a-f]{16}(-\d{8}T\d{6})?")

_TAGS: Final[dict[Role, str]] = {"user": "USER", "persona": "AGENT", "other": "AGENT", "system": "SYSTEM"}
_WEEKDAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")

_LINE_ENDS = "\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
_LOOKS_LIKE_MARK = (
    r"(?:## (?:USER|AGENT|SYSTEM):|[0-9]{4}-[0-9]{2}-[0-9]{2} \([^()\n]{1,16}\) [0-9]{2}:[0-9]{2}:[0-9]{2} ?\|)"
)
_TO_ESCAPE = re.compile(rf"(?<![^{_LINE_ENDS}])(?=\\*{_LOOKS_LIKE_MARK})")
_TO_RESTORE = re.compile(rf"(?<![^{_LINE_ENDS}])\\(?=\\*{_LOOKS_LIKE_MARK})")

_LONG_ID = re.compile(r"im-[0-9a-f]{20}|sillytavern-[0-9a-f]{24}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_OWN_ID = re.compile(r"\d{8}T\d{6}-[0-9a-z]{8}")
_ODD_IN_ID = re.compile(r"[%|\s\x00-\x20\x7f-\xa0\u2028\u2029]")
_ODD_IN_NAME = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\s]+")
_ODD_IN_JSON = re.compile("[|\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Record:
    """A message as it stands in a file, or a control record that readers apply.

    Attributes:
        message: what it says.
        start, end: its bytes in the file, header to the blank lines after its trailer.
        target: the id of the message that this record changes; empty for messages.
        deletes: the target is deleted, not given a new text; without a target, the record itself is not shown.
        variant: the answer that the target shows from now on, by its record's id; empty for the first one.
        after: the message after which a branch begins.
        about: the answer that a record that is not shown belongs to.
        at: where its header begins, its trailer if that is all there is: the same wherever reading began, whereas `start`
            takes in what stands before it at a piece's beginning.
        damage: empty, or what is wrong with it: `bytes` (not UTF-8), `header` (destroyed),
            `trailer` (missing: time and id are made up from what is around it), `stray` (lines
            that belong to no message follow it).
    """

    message: Message
    start: int = 0
    end: int = 0
    target: str = ""
    deletes: bool = False
    damage: str = ""
    variant: str = ""
    after: str = ""
    about: str = ""
    at: int = 0

    @property
    def is_topic(self) -> bool:
        """Whether a new thread begins here."""
        return self.message.role == "system" and self.message.speaker == NEW_TOPIC and not self.target

    @property
    def is_control(self) -> bool:
        """Whether readers apply it instead of showing it."""
        return bool(self.target) or self.deletes or self.is_topic

    @property
    def moves(self) -> bool:
        """Whether the conversation goes on on another branch from here."""
        return self.deletes and not self.target and self.message.speaker in (BRANCH, SWITCH)

    @property
    def is_placed(self) -> bool:
        """Whether it tells which branch the conversation is on; what is changed or noted may be so from any of them."""
        return self.moves if self.deletes else not self.target and self.damage != "trailer"

    @property
    def leads_to(self) -> str:
        """The branch that the conversation is on after it."""
        return self.message.id if self.deletes and self.message.speaker == BRANCH else self.message.branch


def format_record(record: Record) -> bytes:
    """Return a record's bytes, ending with an empty line."""
    message = record.message
    time = message.time
    fields = [
        f"{time.date().isoformat()} ({_WEEKDAYS[time.weekday()]}) {time.replace(microsecond=0).time().isoformat()}",
        tidy_name(message.mind).replace("|", "/"),
        _quote_id(message.id),
    ]
    fields += _optional("branch", message.branch)
    flags = ("broken-off", message.broken_off), ("stopped", message.stopped), ("other", message.role == "other")
    fields += [name for name, holds in flags if holds]
    fields += _optional("group", message.group)
    fields += [f"thread={message.thread}"] if message.thread else []
    if message.present:
        fields.append(f"present={_json_line(list(message.present))}")
    if message.origins:
        fields.append(f"from={_json_line(list(message.origins))}")
    if message.attachment_names and message.attachments:
        fields.append(f"names={_json_line(list(message.attachment_names))}")
    if message.attachments:
        fields.append(f"attachments={_json_line(list(message.attachments))}")
    for name in ("after", "about", "variant"):
        fields += _optional(name, getattr(record, name))
    if record.target or record.deletes:
        fields.append(f"{'deletes' if record.deletes else 'supersedes'}={_quote_id(record.target or message.id)}")
    header = f"## {_TAGS[message.role]}:{tidy_name(message.speaker) or message.role}"
    return f"{header}\n{escape(clean_text(message.text))}\n\n{' | '.join(fields)}\n\n".encode()


def _optional(name: str, message_id: str) -> list[str]:
    return [f"{name}={_quote_id(message_id)}"] if message_id else []


def format_message(message: Message) -> bytes:
    """Return the bytes of a plain message."""
    return format_record(Record(message))


def normalised(message: Message) -> Message:
    """Return the message as it will be read back: to the second, names on one line, no lone surrogates."""
    return replace(
        message,
        id=clean_text(message.id),
        time=message.time.replace(microsecond=0, tzinfo=None),
        speaker=tidy_name(message.speaker) or message.role,
        text=clean_text(message.text),
        mind=tidy_name(message.mind).replace("|", "/"),
        attachments=tuple(message.attachments),
        branch=clean_text(message.branch),
        variant="",
        attachment_names=tuple(message.attachment_names) if message.attachments else (),
        present=tuple(tidy_name(name) for name in message.present),
        group=clean_text(message.group),
        origins=tuple(clean_text(one) for one in message.origins),
    )


def clean_text(text: str) -> str:
    """Replace lone surrogates, which no UTF-8 file can hold, by U+FFFD; all else stays."""
    return _SURROGATE.sub("\ufffd", text)


def tidy_name(name: str) -> str:
    """Put a name on one line: runs of blanks and control characters become one space."""
    return _ODD_IN_NAME.sub(" ", clean_text(name)).strip()


def escape(text: str) -> str:
    """Put a backslash before what would look like a header or a trailer."""
    if "## " not in text and ") " not in text:
        return text  # nearly all there is: a look at every position of 1 MB would take a while
    return _TO_ESCAPE.sub(r"\\", text)


def restore(text: str) -> str:
    """Take the backslash of `escape` away again."""
    return _TO_RESTORE.sub("", text) if "\\" in text else text


def has_known_length(message_id: str) -> bool:
    """Whether an id has a form whose length is known, so that none of it is lost: our own, an import's, or a UUID."""
    return any(form.fullmatch(message_id) for form in (_OWN_ID, _LONG_ID))


def made_up_id(content: bytes, time: datetime | None) -> str:
    """Return an id for a message that has none: the same as long as its words and the time in its trailer are the same."""
    made = f"{MADE_UP}{hashlib.sha256(content).hexdigest()[:16]}"
    return made if time is None else f"{made}-{time:%Y%m%dT%H%M%S}"


def id_of_words(message_id: str) -> str:
    """Return an id that was made up without the time in it: so were all of them once, and so may others still name it."""
    found = _MADE_ID.fullmatch(message_id)
    return message_id.removesuffix(found[1] or "") if found else message_id


def is_of_words(message_id: str) -> bool:
    """Whether an id was made up of words alone, which several messages may have."""
    found = _MADE_ID.fullmatch(message_id)
    return found is not None and not found[1]


def id_in_trailer(message_id: str) -> bytes:
    """Return the bytes by which a trailer names an id."""
    return _quote_id(message_id).encode("utf-8", "surrogatepass")


def _quote_id(message_id: str) -> str:
    return _ODD_IN_ID.sub(lambda odd: "".join(f"%{byte:02X}" for byte in odd[0].encode()), message_id)


def _json_line(names: list[str]) -> str:
    line = json.dumps(names, ensure_ascii=False)
    return _ODD_IN_JSON.sub(lambda odd: f"\\u{ord(odd[0]):04x}", line)
