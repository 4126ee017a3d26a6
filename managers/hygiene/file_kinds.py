"""Every kind of file that a home folder holds, and how an erasure goes through it.

A new kind of file has to be declared here: a test lives a whole life and finds what is not.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final, Literal

How = Literal[
    "log", "episode", "card", "shelf", "records", "lines", "archive", "text", "source", "marks", "audience",
    "attachment", "adapter", "gone", "history", "index", "sessions", "journal", "wordless", "yours",
]  # fmt: skip
"""How an erasure treats a file:

- `log`, `episode`, `card`, `shelf` (of facts), `records` (JSON), `lines` (a JSON object a line), `archive` (packed records),
  `text`, `source` (what was imported), `marks` (one a message),
  `audience` (which memories are for which minds): rewritten without what goes;
- `attachment`: goes with its message, or whole;
- `adapter`: learned by a model: goes whole, if it learned any of the messages;
- `gone`: a copy or a note that can be done without: removed whole;
- `history`, `index`, `sessions`: what has a way of its own;
- `journal`: what an operation under way must remember: the operation is finished first;
- `wordless`: holds no word of a conversation;
- `yours`: a person's own, or a picture: it is named, and stays.
"""

What = Literal[
    "message", "episode", "card", "fact", "goal", "insight", "question", "strategy", "note", "diary", "profile", "feeling", "recall",
    "dream", "wish", "archived", "attachment", "import", "state", "copy", "log_line", "history", "backup", "adapter",
]  # fmt: skip
"""What the parts of a file are counted as in a report."""


@dataclass(frozen=True, slots=True)
class FileKind:
    """A kind of file: which names are of it, how an erasure treats it, and as what its parts are counted."""

    pattern: re.Pattern[str]
    how: How
    what: What


def _kind(pattern: str, how: How, what: What = "state") -> FileKind:
    return FileKind(re.compile(pattern, re.DOTALL), how, what)


PERSONA: Final[tuple[FileKind, ...]] = (
    _kind(r"\.export\.utatane-tmp/.*|(.*/)?\.[^/]*\.utatane-tmp", "gone", "copy"),
    _kind(r"log\.txt|log_archives/[^/.][^/]*\.txt", "log", "message"),
    _kind(r"log_archives/\.index/.*", "gone"),
    _kind(r"log_archives/\.(lost|moving)\.json", "wordless"),
    _kind(r"log_import_source/.*", "source", "import"),
    _kind(r"episodic_memory/[^/]+\.json", "episode", "episode"),
    _kind(r"entity_memory/[^/]+\.md", "card", "card"),
    _kind(r"memory/entity_facts_archived_\d{3,}\.json", "shelf", "fact"),
    _kind(r"goals(_archived_\d{3,})?\.json", "records", "goal"),
    _kind(r"memory/insights(_archived_\d{3,})?\.json", "records", "insight"),
    _kind(r"memory/open_questions(_archived_\d{3,})?\.json", "records", "question"),
    _kind(r"memory/strategies(_archived_\d{3,})?\.json", "records", "strategy"),
    _kind(r"memory/archive_[\d-]+\.json\.gz", "archive", "archived"),
    _kind(r"memory/internal_state\.json", "records", "state"),
    _kind(r"memory/emotion_log(_\d{4}-\d{2})?\.json", "records", "feeling"),
    _kind(r"memory/emotion_log\.new\.jsonl", "lines", "feeling"),
    _kind(r"memory/recall_log\.jsonl", "lines", "recall"),
    _kind(r"memory/audience\.json", "audience"),
    _kind(r"memory/held_writes\.json", "records", "wish"),
    _kind(r"memory/dream_\d[^/]*\.json", "records", "dream"),
    _kind(r"memory/(dream_state|hygiene)\.json|memory/drive_course_[\d-]+\.jsonl", "wordless"),
    _kind(r"memory/audit_\d{4}-\d{2}\.jsonl|memory/\.audit_end", "wordless"),
    _kind(r"memory/\.(dreamt_days|conversation_end|rather_not|dream\.lock)", "wordless"),
    _kind(r"memory/\.dreamt_corrections", "marks"),
    _kind(r"memory/\.(forgetting|erasing)", "journal"),
    _kind(r"core_memory\.txt|notepad\.txt", "text", "note"),
    _kind(r"memory/[^/.][^/]*\.txt", "text", "diary"),
    _kind(r"SystemPrompt\.txt", "text", "profile"),
    _kind(r"persona\.json|card\.json|lorebook\.json", "records", "profile"),
    _kind(r"attachments/.*", "attachment", "attachment"),
    _kind(r"growth/corpus\.json", "records", "import"),
    _kind(r"growth/\d+\.safetensors", "adapter", "adapter"),
    _kind(r"growth/\.training/.*", "gone", "copy"),
    _kind(r"growth/(active\.json|\.lock)", "wordless"),
    _kind(r"\.history/(pending/.*|seen_files\.json|damaged\.json)", "gone"),
    _kind(r"\.history/.*", "history", "history"),
    _kind(r"\.history\.(broken|new)-.*|\.journal\.broken-.*", "gone", "copy"),
    _kind(r"rag_index/.*", "index"),
    _kind(r"knowledge/.*|avatar\.(png|jpe?g|webp)", "yours"),
    _kind(r"\.lock|\.persona-id|\.export\.lock|rag_index\.lock", "wordless"),
)

HOME: Final[tuple[FileKind, ...]] = (
    _kind(r"settings\.toml", "yours"),
    _kind(r"secrets\.toml|\.(access|serving|engine)\.json|opening\.html|\.installation\.(key.*|lock)", "wordless"),
    _kind(r"sessions/(users\.json|\.users\.json\.lock)", "wordless"),
    _kind(r"sessions/users/.*", "gone", "copy"),
    _kind(r"groups\.json|\.groups\.json\.lock|kept_here\.json", "wordless"),
    _kind(r"sessions/(hot/[^/.]+\.json|warm\.duckdb(\.wal)?|archive/[^/]+/\d+\.json\.gz)", "sessions", "message"),
    _kind(r"sessions/(redis_waiting\.json|\.[a-z.]*lock)", "wordless"),
    _kind(r"sessions/(.*/)?[^/]+\.broken-[^/]*", "gone", "copy"),
    _kind(r"(characters/)?\.[a-z-]*\.?lock|\.made-private|\.samples\.json|\.admitted/.*|usage/.*", "wordless"),
    _kind(
        r"\.backups\.json|backups/.*", "wordless"
    ),  # no word can be seen in them: see managers/exchange/backups/backup_erasing
    _kind(r"\.backup-proof\.utatane-tmp/.*", "gone", "copy"),
    _kind(r"\.logs/.*", "text", "log_line"),
    _kind(r"\.(uploads|exports)/.*|\.importing/.*", "gone", "copy"),
    _kind(r"domains/[^/]+/(knowledge/.*|(sources|documents)\.json(\.broken-.*)?)", "yours"),
    _kind(r"domains/[^/]+/rag_index/.*", "index"),
    _kind(r"domains/[^/]+/(memory/(audit_\d{4}-\d{2}\.jsonl|\.audit_end)|\.lock|\.fetching\.lock)", "wordless"),
    _kind(r"models/.*", "wordless"),
    _kind(r"\.window/.*", "gone", "copy"),
    _kind(r"\.trash/.*|characters/\.set-aside/.*", "gone", "copy"),
    _kind(r"(.*/)?\.[^/]*\.utatane-tmp", "gone", "copy"),
)

_BY_ENDING: Final[Mapping[str, How]] = {".json": "records", ".jsonl": "lines", ".txt": "source", ".md": "text"}
_ASIDE: Final = re.compile(r"set_aside/[^/]+/(?P<name>.+)", re.DOTALL)
_BROKEN: Final = re.compile(r"(?P<name>.+)\.broken-[^/]*", re.DOTALL)


def declared(name: str, kinds: tuple[FileKind, ...] = PERSONA) -> FileKind | None:
    """Return the kind of a file, by its name in the persona's folder (or in the home); None if nobody has declared it.

    What was put aside is of the kind that it was before.
    """
    for form in (_ASIDE, _BROKEN):
        if kinds is PERSONA and (found := form.fullmatch(name)) and name[:1] != ".":
            return declared(found["name"])
    return next((kind for kind in kinds if kind.pattern.fullmatch(name)), None)


def kind_of(name: str) -> FileKind:
    """Return the kind of a file in a persona's folder; one that nobody has declared is judged by its ending."""
    known = declared(name)
    if known is not None:
        return known
    suffix = PurePosixPath(name).suffix
    return FileKind(re.compile(re.escape(name)), _BY_ENDING.get(suffix, "yours"), "state")
