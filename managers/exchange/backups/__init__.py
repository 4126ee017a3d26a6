"""Backups: made by themselves, stored once, thinned over time, and proved by restoring them."""
