"""The network of entities."""
