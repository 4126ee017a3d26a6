"""What is exported of a persona, in whichever form: the one place that the page and the command line ask."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, TypeVar, get_args

from agent.brief import make_brief
from agent.memories import Memories
from managers.exchange.archives.making import ArchiveWishes, Exported, make_archive
from managers.exchange.archives.writing import Progress, nobody_asks
from managers.exchange.cards.writing import write_card
from managers.exchange.errors import NothingToExportError
from managers.exchange.exports.chat import Chat, ChatDays, as_transcript, said_in
from managers.exchange.exports.chat_page import ChatPage, Render
from managers.exchange.exports.markdown import as_markdown
from managers.exchange.exports.new_file import new_file
from managers.language.masking.placeholders import Mask
from managers.memory.audience import NOTHING_KEPT
from managers.memory.errors import AudienceUnknownError
from managers.memory.messages import Message
from managers.storage.audit import Given, record
from managers.storage.errors import Lang
from managers.storage.files import read_bytes

Form = Literal["archive", "card", "markdown", "jsonl", "html", "brief"]
FORMS: Final[tuple[Form, ...]] = get_args(Form)
CHATS: Final[frozenset[Form]] = frozenset({"markdown", "jsonl", "html"})
ENDINGS: Final[dict[Form, str]] = {
    "archive": ".zip",
    "card": ".png",
    "markdown": ".md",
    "jsonl": ".jsonl",
    "html": ".html",
    "brief": ".md",
}
BRIEF_TOKENS: Final = 2000

_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True)
class ExportWishes:
    """What is to be exported, and how.

    Attributes:
        form: as what.
        is_masked: addresses, numbers and keys stand as placeholders.
        without_forgotten: of an archive: what was forgotten or deleted, and the history, are left out.
        days: of a conversation: which part.
        without_kept: of a conversation: messages for this computer only are left out; a brief never has any.
        tokens: of a brief: how long at most.
        lang: of the words around; None: the persona's.
        passphrase: the file is encrypted with; None: it is not.
    """

    form: Form = "archive"
    is_masked: bool = False
    without_forgotten: bool = False
    days: ChatDays = field(default_factory=ChatDays)
    tokens: int = BRIEF_TOKENS
    lang: Lang | None = None
    passphrase: str | None = None
    without_kept: bool = False


def file_name(memories: Memories, wishes: ExportWishes) -> str:
    """Return what the file is best called."""
    what = "" if wishes.form in {"archive", "card"} else f"-{wishes.form}" if wishes.form == "brief" else "-chat"
    return f"{memories.paths.name}{what}{ENDINGS[wishes.form]}{'.age' if wishes.passphrase is not None else ''}"


def kept_messages(memories: Memories) -> str:
    """Return how many messages are for this computer only, for people: empty for none, "?" where nobody can tell."""
    try:
        count = len(memories.audiences.kept().messages)
    except AudienceUnknownError:
        return "?"
    return f"{count:,}" if count else ""


def export(
    memories: Memories, file: Path, wishes: ExportWishes, render: Render, progress: Progress = nobody_asks
) -> Exported:
    """Write a persona, or a part of it, into a new file.

    Args:
        memories: whose.
        file: what is made; it is there whole or not at all.
        wishes: what of it, and how.
        render: makes safe HTML of Markdown.
        progress: is told how far it is; what it raises ends the work.

    Raises:
        ExportExistsError: there is such a file; it is left alone.
        UnwritableError, DiskFullError, BusyError, PassphraseNeededError, AudienceUnknownError, NothingToExportError:
            nothing is left of it.
    """
    now = memories.clock.now()
    if wishes.form == "archive":
        memories.audiences.take_over()
        how = ArchiveWishes(wishes.is_masked, wishes.without_forgotten, wishes.passphrase)
        return make_archive(memories.paths, memories.log, memories.history, file, now, how, progress)
    counted = _Counted(memories.log.count() if wishes.form in CHATS else 1, progress)
    with new_file(file, wishes.passphrase) as target:
        if wishes.form in CHATS:
            target.writelines(text.encode("utf-8", "replace") for text in _texts(memories, wishes, counted, render))
            if not counted.count:
                raise NothingToExportError
        else:
            target.writelines(counted([_whole(memories, wishes)]))
    counts = {"messages" if wishes.form in CHATS else "files": counted.count}
    record(memories.paths, now, "export", Given(counts, is_masked=wishes.is_masked))
    return Exported(counted.count)


def _whole(memories: Memories, wishes: ExportWishes) -> bytes:
    """Return what is small enough to be made at once."""
    if wishes.form == "card":
        hide_in = Mask().hide_in if wishes.is_masked else dict
        return write_card(memories.persona(), memories.clock, hide_in)
    hide = Mask().hide if wishes.is_masked else str
    return make_brief(memories, wishes.lang, wishes.tokens, hide).encode("utf-8", "replace")


class _Counted:
    """Counts what goes by, and tells how far that is."""

    def __init__(self, whole: int, progress: Progress) -> None:
        self.count = 0
        self._whole = whole or 1
        self._progress = progress

    def __call__(self, items: Iterable[_Item]) -> Iterator[_Item]:
        for item in items:
            self.count += 1
            self._progress(min(self.count / self._whole, 1.0))
            yield item


def _texts(memories: Memories, wishes: ExportWishes, counted: _Counted, render: Render) -> Iterator[str]:
    """Yield the pieces of a conversation's form."""
    hide = Mask().hide if wishes.is_masked else None
    kept = memories.audiences.kept() if wishes.without_kept else NOTHING_KEPT
    messages: Iterator[Message] = counted(said_in(memories.log, wishes.days, hide, kept))
    if wishes.form == "jsonl":
        return as_transcript(messages)
    persona = memories.persona()
    face = read_bytes(persona.avatar) if persona.avatar else None
    chat = Chat(persona.name, wishes.lang or persona.language, messages, face)
    if wishes.form == "markdown":
        return as_markdown(chat)
    today = memories.clock.now().date()
    return ChatPage(memories.paths.folder, render, today, is_masked=wishes.is_masked).pieces(chat)
