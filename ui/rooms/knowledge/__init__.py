"""The documents that a persona looks things up in."""
