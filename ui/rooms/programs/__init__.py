"""Settings: other programs."""
