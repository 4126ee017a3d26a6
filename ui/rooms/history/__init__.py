"""Earlier versions of texts: to look at, to compare, to go back to."""
