"""Personas: characters that live in folders, and what can be done with such a folder."""
