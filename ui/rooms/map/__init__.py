"""The map of memory."""
