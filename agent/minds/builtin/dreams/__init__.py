"""How the built-in mind dreams: without any model, by quoting what was said."""
