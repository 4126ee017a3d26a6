"""The first meeting."""
