"""An insight that is there already is found again: the old one is trusted more, and nothing is made."""

from __future__ import annotations

from managers.hygiene.similarity import vectors
from managers.memory.confidence import FOUND_AGAIN, day_of, moved
from managers.memory.insights import Insight
from managers.memory.json_documents import USER
from managers.memory.working_copy import WorkingCopy


def add_insight(copy: WorkingCopy, insight: Insight) -> None:
    """Add an insight, unless one like it is there or the night has made as many as it may."""
    limits, entries = copy.stores.limits, copy.insights.entries
    again = _like(insight, entries, limits.insight_similarity_threshold) if limits.hygiene else None
    if again is not None:
        today = day_of(insight.created_at[:10])
        if today is not None and not set(insight.evidence) <= set(again.evidence):
            change = moved(again, "insight", day_of(again.created_at[:10]), today, "found_again", FOUND_AGAIN)
            evidence = list(dict.fromkeys([*again.evidence, *insight.evidence]))
            copy.insights = copy.insights.edited(again.id, **change, evidence=evidence)
    elif sum(one.created_at == insight.created_at for one in entries) < limits.max_insights_per_session:
        copy.insights = copy.insights.with_one(insight)


def _like(insight: Insight, entries: list[Insight], threshold: float) -> Insight | None:
    """Return the insight that is most like another one, if it is so much like it."""
    known = [one for one in entries if one.id and one.mind != USER]
    if not known:
        return None
    rows = vectors([insight.insight, *(one.insight for one in known)])
    near = rows[1:] @ rows[0]
    best = int(near.argmax())
    return known[best] if near[best] > threshold else None
