"""Minds that are language models, through LangChain."""

from agent.minds.language_model.model_mind import LanguageModelMind
from agent.minds.language_model.prompt import Patience

__all__ = ["LanguageModelMind", "Patience"]
