"""The middle-term memory of conversations of several: hot for a day, warm for a week, then in an archive."""
