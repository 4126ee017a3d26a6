"""How meaning is compared."""
