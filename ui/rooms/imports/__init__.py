"""The room for imports: what other programs know of a companion is looked at here, and taken over."""
