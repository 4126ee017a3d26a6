"""Tests of managers/domains."""
