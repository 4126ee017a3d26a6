"""Tokens and costs."""
