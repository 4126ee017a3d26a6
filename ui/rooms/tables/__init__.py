"""The tables of the rooms Heart and Dreams."""
