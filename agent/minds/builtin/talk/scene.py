"""All that one reply is made from, read once."""

import hashlib
from dataclasses import dataclass, field, replace
from random import Random

from agent.minds.builtin.answers.candidates import Candidate
from agent.minds.builtin.talk.quotation import readable
from agent.minds.builtin.talk.voice import Phrasebook, read_voice
from managers.language.reading.introductions import is_about_oneself, marked, name_given, name_in, name_noted, parted
from managers.language.reading.reading import Reading, has_question_mark, read
from managers.language.reading.rules import fits
from managers.mind import ChatTurn, ReplyRequest
from managers.storage.errors import Lang

NOTEPAD = "edit_notepad"
"""The tool that writes into the notepad."""
FACTS = ("ask_time", "ask_date", "ask_name", "ask_my_name", "ask_what", "ask_known", "overview")
"""Acts that ask for facts: answered in grave moments and among several, too."""
_RECENT = 12


@dataclass(frozen=True)
class Scene:
    """One moment of a conversation.

    Attributes:
        message: what is read: without markup, control characters, and the far end of endless texts.
        spoken: the persona's own earlier words in this conversation, oldest first.
        heard: the user's.
        given: the name that the user gives in this message, or empty.
        used: the sentences that were used for the reply, as it is made.
    """

    request: ReplyRequest
    message: str
    read: Reading
    book: Phrasebook
    spoken: tuple[str, ...]
    heard: tuple[str, ...]
    given: str = ""
    used: list[Candidate] = field(default_factory=list, compare=False)

    @property
    def lang(self) -> Lang:
        """The language of the reply: that of the message."""
        return self.book.voice.lang

    @property
    def asked_lately(self) -> int:
        """How many of the persona's last two replies ended with a question."""
        return sum(has_question_mark(text) for text in self.spoken[-2:])


def read_scene(request: ReplyRequest, seed: int, *, grave: bool) -> Scene:
    """Read a request; the same seed, conversation and request give the same scene."""
    message = readable(request.message.text)
    earlier = _earlier(request)
    spoken = tuple(turn.text for turn in earlier if turn.role == "persona" and turn.text)
    heard = tuple(turn.text for turn in earlier if turn.role == "user")
    default = _default_language(heard, request)
    persona = request.sheet.persona
    message_read = read(message, default, persona=persona)
    is_bare = bool(heard) and len(message.split()) == 1 and message.isascii()  # "ok" in the middle of Japanese
    if message_read.lang != default and (is_bare or fits("en", "markup", "code_line", message)):
        message_read = read(message, default, persona=persona, keep=True)
    sheet = request.sheet
    known = sheet.user_name or name_given(heard, spoken) or name_noted(request.notes, persona)
    before = spoken[-1] if spoken else ""
    given = name_in(message, is_first=not heard, before=before, is_own=is_about_oneself(heard), known=known)
    if given:
        message_read = marked(read(parted(message, given), message_read.lang, persona=persona, keep=True), given)
    if name := given or ("" if sheet.user_name else known):
        sheet = replace(sheet, user_name=name)
        request = request if given else replace(request, sheet=sheet)  # what is remembered stands under that name
    voice = read_voice(sheet, message_read.lang)
    voice = replace(voice, quirk="", murmurs=()) if grave else voice  # a playful ending would hurt
    said_since = [one.text for one in request.company.since] if request.company else []
    recent = [*spoken[-_RECENT:], *said_since]
    book = Phrasebook(voice, _rng(seed, request, spoken), recent, kept=can_write(request))
    return Scene(request, message, message_read, book, spoken, heard, given)


def can_write(request: ReplyRequest) -> bool:
    """Tell whether the notepad may be written now (off the record it may not)."""
    return any(tool.name == NOTEPAD for tool in request.tools)


def _earlier(request: ReplyRequest) -> list[ChatTurn]:
    """Return the turns before the message that is answered (a tool loop adds turns behind it)."""
    turns = list(request.turns)
    last_user = max((at for at, turn in enumerate(turns) if turn.role == "user"), default=0)
    return turns[:last_user]


def _default_language(heard: tuple[str, ...], request: ReplyRequest) -> Lang:
    for text in reversed(heard):
        if any(char.isalpha() for char in text):
            return read(text[:200], request.sheet.language).lang
    return request.sheet.language


def _rng(seed: int, request: ReplyRequest, spoken: tuple[str, ...]) -> Random:
    parts = [
        str(seed),
        request.sheet.persona,
        request.message.text[:500],
        request.now.isoformat(),
        str(len(spoken)),
        *spoken[-2:],
    ]
    return Random(int.from_bytes(hashlib.sha256("\x1f".join(parts).encode("utf-8", "replace")).digest()[:8]))  # noqa: S311  # variety, no secret
