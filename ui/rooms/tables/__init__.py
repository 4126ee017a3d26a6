"""The tables of all rooms."""
