"""Models that a person has fetched: from where, how far it is, and whether what came is what was promised."""
