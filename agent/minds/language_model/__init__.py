"""Minds that are language models, through LangChain."""

from agent.minds.language_model.mind import LanguageModelMind, Patience

__all__ = ["LanguageModelMind", "Patience"]
