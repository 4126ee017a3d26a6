"""Implementations of the `Mind` seam declared in `managers.mind`."""
