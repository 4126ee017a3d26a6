"""One folder a room: its addresses, what they show, its templates."""
