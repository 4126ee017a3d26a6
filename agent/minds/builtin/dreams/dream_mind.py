"""How the built-in mind dreams: without any model, extractively, inventing nothing."""

from __future__ import annotations

from agent.minds.builtin.dreams import entities, open_questions, reflection, summary
from agent.minds.builtin.dreams.statements import NAME
from managers.mind import Cancel
from managers.sleep.tasks import (
    AnswerMaterial,
    DayDraft,
    DayMaterial,
    EntitiesDraft,
    EntityMaterial,
    QuestionMaterial,
    QuestionsDraft,
    ReflectionDraft,
    ReflectionMaterial,
    ResolutionsDraft,
)


class BuiltInDreamMind:
    """The built-in mind asleep. The same day always makes the same dream."""

    name = NAME

    def summarise_day(self, material: DayMaterial, cancel: Cancel) -> DayDraft:
        """Condense a day into what was said that tells most."""
        del cancel
        return summary.summarise(material)

    def describe_entities(self, material: EntityMaterial, cancel: Cancel) -> EntitiesDraft:
        """Quote what was said of people, pets, places, works, organisations and recurring things."""
        del cancel
        return entities.describe(material)

    def find_questions(self, material: QuestionMaterial, cancel: Cancel) -> QuestionsDraft:
        """Find plans, worries and undecided things whose outcome is not known."""
        del cancel
        return open_questions.find(material)

    def resolve_questions(self, material: AnswerMaterial, cancel: Cancel) -> ResolutionsDraft:
        """Find the sentences that tell how something turned out."""
        del cancel
        return open_questions.resolve(material)

    def reflect(self, material: ReflectionMaterial, cancel: Cancel) -> ReflectionDraft | None:
        """Conclude something from what came up, how often, and in what mood."""
        del cancel
        return reflection.reflect(material)

    def tokens_of(self, material: DayMaterial) -> int:
        """Return 0: no model is asked."""
        del material
        return 0
