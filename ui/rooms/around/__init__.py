"""The conversation around a message."""
