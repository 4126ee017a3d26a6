"""The tools that an MCP client is offered: each method is one; docstrings and annotations are what its model reads.

What they return is text of the user's memories, quoted line by line: to that model it is foreign text, and may hold anything.
"""

from collections.abc import Callable, Sequence
from typing import Annotated, Any

from pydantic import Field

from agent.approval import AddedTo, ask_for_program
from agent.memories import Memories
from agent.prompts.quoting import name_in_label, quoted
from agent.prompts.system_prompt import hit as told
from agent.tools.search_tools import MAX_QUERY
from managers.memory.audience import NOTES
from managers.memory.notes import NoteKind
from managers.recall.hits import Hit
from managers.storage.audit import Given
from ui.locales import texts
from ui.server.programs.endpoints import Note
from ui.server.programs.working import ForPrograms
from ui.server.visit import last_spoken_to

ASKING = frozenset({"add_note"})  # the others only read
Query = Annotated[str, Field(min_length=1, max_length=MAX_QUERY)]


class Tools(ForPrograms):
    """What MCP clients may call."""

    door = "MCP"

    def all(self) -> Sequence[Callable[..., Any]]:
        """Return the tools."""
        return (
            self.recall_memories,
            self.search_past_conversations,
            self.search_knowledge_base,
            self.read_core_memory,
            self.read_notepad,
            self.add_note,
            self.list_personas,
        )

    def recall_memories(self, query: Query, persona: str = "") -> str:
        """Recall what the user told their companion, and what the two lived through: conversations, diaries, dreams, by meaning.

        Args:
            query: What to look for, in a few words or as a question.
            persona: Whose memory; leave it empty for the persona that the user talked to last.
        """
        memories = self._memories(persona)
        return self._answer(memories, memories.recall.recall_memories(query))

    def search_past_conversations(self, query: Query, persona: str = "") -> str:
        """Find messages of the user and their companion that contain exactly these words: the two newest and the two oldest.

        Args:
            query: The words, exactly as they were said.
            persona: Whose conversations; leave it empty for the persona that the user talked to last.
        """
        memories = self._memories(persona)
        return self._answer(memories, memories.recall.search_past_conversations(query, with_recent=True))

    def search_knowledge_base(self, query: Query, persona: str = "") -> str:
        """Look something up in the documents that the user gave their companion to read.

        Args:
            query: What to look for, in a few words or as a question.
            persona: Whose documents; leave it empty for the persona that the user talked to last.
        """
        memories = self._memories(persona)
        return self._answer(memories, memories.recall.search_knowledge_base(query))

    def read_core_memory(self, persona: str = "") -> str:
        """Read what the companion always keeps in mind: who it is, what matters to the user, what was promised.

        Args:
            persona: Whose; leave it empty for the persona that the user talked to last.
        """
        memories = self._memories(persona)
        return self._note(memories, "core_memory")

    def read_notepad(self, persona: str = "") -> str:
        """Read the companion's notepad: plans, and what the user asked it to keep in mind.

        Args:
            persona: Whose; leave it empty for the persona that the user talked to last.
        """
        memories = self._memories(persona)
        return self._note(memories, "notepad")

    def add_note(self, text: Note, note: AddedTo = "notepad", persona: str = "") -> str:
        """Ask to add something to the companion's notepad or core memory. It is written only after the user's yes on the page.

        Args:
            text: What is to be added, in the user's language.
            note: Where: notepad for plans and things to keep in mind, core_memory for what always matters.
            persona: Whose; leave it empty for the persona that the user talked to last.
        """
        memories = self._memories(persona)
        wish = ask_for_program(memories, note, text)
        self._when_begun(memories.paths.name)
        return texts(self._lang())("programs.waits", until=f"{wish.held.expires:%Y-%m-%d}")

    def list_personas(self) -> str:
        """List the names of the user's companions."""
        names = "\n".join(self._services.personas.list_names())
        return f"{texts(self._lang())('programs.personas')}\n{quoted(names)}"

    def _memories(self, persona: str) -> Memories:
        return self._services.companion(persona or last_spoken_to(self._services, self._lang())).memories

    def _answer(self, memories: Memories, hits: Sequence[Hit]) -> str:
        lang, hits = memories.sheet().language, self._found(memories, hits)
        if not hits:
            return texts(lang)("programs.none_found", persona=name_in_label(memories.paths.name))
        return "\n".join([_found_in(memories), *(told(lang, hit) for hit in hits)])

    def _note(self, memories: Memories, kind: NoteKind) -> str:
        text = memories.notes.read(kind).text
        if not text.strip() or memories.audiences.kept().holds_file(NOTES[kind]):
            return texts(memories.sheet().language)("programs.empty")
        self._handed(memories, Given({kind: len(text.splitlines())}))
        return f"{_found_in(memories)}\n{quoted(text)}"


def _found_in(memories: Memories) -> str:
    sheet = memories.sheet()
    t = texts(sheet.language)
    said = t("programs.found", persona=name_in_label(memories.paths.name))
    return said if sheet.user_name else f"{said} {t('programs.nameless')}"
