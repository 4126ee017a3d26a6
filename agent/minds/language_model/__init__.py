"""Minds that are language models, through LangChain."""

from agent.minds.language_model.model_mind import LanguageModelMind, Patience

__all__ = ["LanguageModelMind", "Patience"]
