"""The lowest floor: paths, atomic files, locks, history, clock, settings, errors."""
