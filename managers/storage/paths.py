"""Every path that the program knows, in one place; and the check that makes a name a safe path."""

from __future__ import annotations

import os
import unicodedata
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from managers.storage.errors import NoNameError, UnsafeNameError
from managers.storage.opening import guard

HOME_VARIABLE = "UTATANE_HOME"
CHECKOUT = Path(__file__).resolve().parents[2]
"""The folder of the program itself: sample characters and assets are read from here."""

# Reserved on Windows whatever the extension; a persona's folder must survive a move between systems.
_WINDOWS_DEVICES = frozenset(
    ["con", "prn", "aux", "nul", *(f"com{n}" for n in range(10)), *(f"lpt{n}" for n in range(10))]
)
_FORBIDDEN = frozenset('/\\:*?"<>|')
MAX_NAME_BYTES = 120
"""A file name may hold 255 bytes on common systems; suffixes, dates and temporary names need room."""


def safe_name(name: str) -> str:
    """Return `name` in NFC and stripped, or say why it cannot be a folder's or file's name.

    Raises:
        NoNameError: the name is empty.
        UnsafeNameError: the name is hidden, reserved, too long, or holds separators, control or
            direction-changing characters.
    """
    tidy = unicodedata.normalize("NFC", name).strip()
    if not tidy:
        raise NoNameError
    if problem := _problem(tidy):
        raise UnsafeNameError(name=tidy[:40], reason_ja=problem[0], reason_en=problem[1])
    return tidy


@lru_cache(maxsize=1 << 14)
def may_be_written(name: str) -> bool:
    """Tell whether a file of exactly this name may be written; of ten thousand in a folder it is asked in every turn."""
    try:
        return safe_name(name) == name
    except UnsafeNameError:
        return False


def is_text(name: str) -> bool:
    """Tell whether a name is text. Most systems take any bytes for one, which no index and no page can hold."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _problem(name: str) -> tuple[str, str] | None:
    if any(c in _FORBIDDEN for c in name):
        return '/ \\ : * ? " < > | は使えません。', 'it may not contain / \\ : * ? " < > |.'
    if any(unicodedata.category(c) in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"} for c in name):
        return "目に見えない文字が入っています。", "it contains invisible characters."
    if name.startswith((".", "~", "-")) or name.endswith("."):
        return "先頭の . ~ - と末尾の . は使えません。", "it may not begin with . ~ - or end with a dot."
    if name.split(".", maxsplit=1)[0].strip().casefold() in _WINDOWS_DEVICES:
        return "Windows で予約されている名前です。", "Windows reserves it."
    if len(name.encode()) > MAX_NAME_BYTES:
        return "長すぎます(日本語で40文字まで)。", f"it is too long (at most {MAX_NAME_BYTES} bytes)."
    return None


class _At(cached_property[Path]):
    """A place in a folder, as an attribute of whatever has that folder; joined once, for a turn asks hundreds of times."""

    def __init__(self, *parts: str) -> None:
        super().__init__(lambda owner: owner.folder.joinpath(*parts))


@dataclass(frozen=True)
class PersonaPaths:
    """The files of one persona's folder (names as in the specification)."""

    folder: Path

    persona_json = _At("persona.json")
    system_prompt = _At("SystemPrompt.txt")
    card = _At("card.json")
    lorebook = _At("lorebook.json")
    core_memory = _At("core_memory.txt")
    notepad = _At("notepad.txt")
    log = _At("log.txt")
    log_archives = _At("log_archives")
    log_journal = _At("log_archives", ".moving.json")
    """Stands there while days move from the log to the archives."""
    log_import_source = _At("log_import_source")
    episodic_memory = _At("episodic_memory")
    entity_memory = _At("entity_memory")
    goals = _At("goals.json")
    memory = _At("memory")
    insights = _At("memory", "insights.json")
    internal_state = _At("memory", "internal_state.json")
    emotion_log = _At("memory", "emotion_log.json")
    main_memory = _At("memory", "memory_main.txt")
    secret_diary = _At("memory", "secret_diary.txt")
    recall_log = _At("memory", "recall_log.jsonl")
    held_writes = _At("memory", "held_writes.json")
    knowledge = _At("knowledge")
    set_aside = _At("set_aside")
    rag_index = _At("rag_index")
    attachments = _At("attachments")
    growth = _At("growth")
    """What it learned in its own talks: adapters of a local model, and what they are made from."""
    history = _At(".history")
    pending = _At(".history", "pending")
    """The journal of a change that is being made."""
    lock = _At(".lock")
    mark = _At(".persona-id")

    def __post_init__(self) -> None:
        """Let nothing in the folder be opened but what is really in it."""
        guard(self.folder)

    @property
    def name(self) -> str:
        return self.folder.name

    @cached_property
    def home(self) -> Home:
        """The home folder that the persona lives in: the one above `characters/`, `.trash/` likewise."""
        return Home(self.folder.parent.parent)


@dataclass(frozen=True)
class Home:
    """The user's folder: settings, secrets, characters, trash."""

    folder: Path

    settings = _At("settings.toml")
    secrets = _At("secrets.toml")
    characters = _At("characters")
    trash = _At(".trash")
    usage = _At("usage")
    groups = _At("groups.json")
    """The conversations with several personas, and who is in them."""
    kept = _At("kept_here.json")
    """Which messages are for this computer only, whoever's log has them: see `managers.memory.audience`."""
    sessions = _At("sessions")
    """What is kept of them in the middle term: see `managers.sessions`."""
    domains = _At("domains")
    """Knowledge that the personas of a domain share."""
    models = _At("models")
    """Models that were fetched."""
    engine = _At(".engine.json")
    """Where the engine for a model on this computer listens, and the key to it: see `agent/minds/engine`."""
    backups = _At("backups")
    """Where backups lie, unless the person named another place."""
    backup_state = _At(".backups.json")
    lock = _At(".lock")
    access = _At(".access.json")
    serving = _At(".serving.json")
    opening = _At("opening.html")
    """What a browser is handed to open the page; no hidden name, for packaged browsers may read none."""
    installation_key = _At(".installation.key")
    installation_key_copy = _At(".installation.key.copy")
    admitted = _At(".admitted")
    made_private = _At(".made-private")
    """Is there once all that lies here was made its owner's alone."""
    importing = _At(".importing")
    """What was read of a source and is not yet taken over."""
    set_aside = _At("characters", ".set-aside")
    exports = _At(".exports")
    """Exports that wait to be saved."""
    window = _At(".window")
    """What a window of the page's own keeps, as a browser would."""

    def persona(self, name: str) -> PersonaPaths:
        """Return the paths of a persona; the name is checked, the folder need not exist."""
        return PersonaPaths(self.characters / safe_name(name))


def find_home(given: Path | None = None) -> Home:
    """Return the home folder: the given one, else `UTATANE_HOME`, else `~/Utatane`."""
    chosen = given or os.environ.get(HOME_VARIABLE) or Path.home() / "Utatane"
    return Home(Path(chosen).expanduser().resolve())
