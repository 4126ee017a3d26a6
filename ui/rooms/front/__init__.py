"""The first address: whom to talk with."""
