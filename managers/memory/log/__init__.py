"""A persona's log: every word that was said, appended and never rewritten."""

from managers.memory.log.alternatives import Alternatives
from managers.memory.log.branches import Branch
from managers.memory.log.conversation import ConversationLog

__all__ = ["Alternatives", "Branch", "ConversationLog"]
