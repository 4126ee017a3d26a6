"""What a persona remembers, one module per kind of memory."""
