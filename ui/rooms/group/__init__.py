"""Conversations with several personas: whom one sits down with, and what is said."""
