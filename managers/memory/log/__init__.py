"""A persona's log: every word that was said, appended and never rewritten."""

from managers.memory.log.conversation import ConversationLog

__all__ = ["ConversationLog"]
