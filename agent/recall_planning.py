"""Whether to recall, and what: as the small model sees it, within a few seconds; else as the local planner does."""

import threading
from collections.abc import Sequence

from agent.minds.protocol import Mind
from agent.prompts import recall_plan
from agent.prompts.recall_plan import RecallDraft
from managers.memory.messages import Message
from managers.mind import Asking, Cancel, Sheet, talk_given
from managers.recall.question.planner import RecallPlan
from managers.storage.errors import Notice, UtataneError
from managers.storage.texts import Texts

_say = Texts("notices/minds")

PATIENCE_SECONDS = 3.0
"""The first word waits for the plan: a slower model is not worth it."""
_MAX_QUERY = 600

NO_MODEL = _say.notice("recall-plan-no-model", "info")
TOO_SLOW = _say.notice("recall-plan-slow", "info", seconds=PATIENCE_SECONDS)


class _Question(threading.Thread):
    """One question to the model, asked beside the turn; an answer that comes too late is thrown away."""

    def __init__(self, mind: Asking, sheet: Sheet, message: str, window: Sequence[Message]) -> None:
        super().__init__(name="recall-plan", daemon=True)
        self._mind, self._sheet = mind, sheet
        self._prompt = recall_plan.build(sheet, message, window)
        self._given = talk_given(window)
        self.cancel = Cancel()
        self.draft: RecallDraft | None = None
        self.error: UtataneError | None = None

    def run(self) -> None:
        try:
            self.draft = self._mind.ask(
                *self._prompt, RecallDraft, language=self._sheet.language, cancel=self.cancel, given=self._given
            )
        except UtataneError as error:
            self.error = error


def plan_with_model(
    mind: Mind,
    sheet: Sheet,
    message: str,
    window: Sequence[Message],
    local: RecallPlan,
    patience: float = PATIENCE_SECONDS,
) -> tuple[RecallPlan, Notice | None]:
    """Return the small model's plan, or after `patience` seconds the local one with the reason why."""
    if not isinstance(mind, Asking):
        return local, NO_MODEL
    question = _Question(mind, sheet, message, window)
    question.start()
    question.join(patience)
    if question.error is not None:
        return local, _say.notice("recall-plan-failed", "info", why=question.error.sentences)
    if question.draft is None:
        question.cancel.set()  # the reply needs the model now
        return local, TOO_SLOW
    if not question.draft.search:
        return RecallPlan(wanted=False, query=""), None
    query = question.draft.query.strip()[:_MAX_QUERY]
    return RecallPlan(wanted=True, query=query or local.query or message.strip()[:_MAX_QUERY]), None
