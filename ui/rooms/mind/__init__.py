"""Which mind speaks: its choice and trial, for every room that shows them."""
