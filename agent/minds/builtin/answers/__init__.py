"""Answers to questions: chosen, looked for in what is remembered, and said."""
