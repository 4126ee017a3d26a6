"""The built-in mind."""

from agent.minds.builtin.mind import BuiltInMind

__all__ = ["BuiltInMind"]
