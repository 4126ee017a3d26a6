"""Implementations of the `Mind` seam: `protocol` says what each is, `choose` which one speaks."""
