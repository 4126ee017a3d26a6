"""Settings: backups."""
