"""Conversations of the user with several personas."""
