"""A persona's history: who changed what, when and why, in a git repository of its own."""

from managers.storage.history.history import Draft, History, UndoConflict, unified

__all__ = ["Draft", "History", "UndoConflict", "unified"]
