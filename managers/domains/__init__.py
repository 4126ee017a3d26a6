"""Shared knowledge, domain by domain: where it comes from, how it is fetched, and how personas of a domain find it."""

from typing import Final, Literal

Every = Literal["daily", "weekly", "monthly"]
"""How often a domain is fetched."""
PREFIX: Final = "kb:"
"""What a domain's namespace begins with: in the ledger of model calls, too."""
