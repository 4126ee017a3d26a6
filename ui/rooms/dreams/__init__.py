"""The dreams of a persona, and what they changed."""
