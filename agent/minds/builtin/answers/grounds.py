"""What a reply rests on: the memories whose words, days or values it gave; none where it knew nothing."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from agent.minds.builtin.answers.candidates import MAX_HITS, Candidate
from agent.minds.builtin.talk.scene import Scene
from managers.recall.hits import Hit

_ONE_TALK = timedelta(minutes=20)
"""What was said so close to a memory was looked at because of it."""


def grounds_of(scene: Scene) -> tuple[Hit, ...]:
    """Return the memories that were used for a reply, in the order in which they were found."""
    hits = scene.request.hits
    places = {place for one in scene.used for place in _places(one, hits)}
    return tuple(hits[place] for place in sorted(places))


def _places(used: Candidate, hits: Sequence[Hit]) -> list[int]:
    """Return where the memories are that a sentence stands in, else those beside which it was said."""
    if 0 < used.source <= min(MAX_HITS, len(hits)):
        return [used.source - 1]
    words = [text for text in (used.text, used.original) if text]
    if holding := [place for place, hit in enumerate(hits) if any(text in hit.text for text in words)]:
        return holding
    if used.kind == "said" or used.time is None:
        return []  # said in this conversation, or noted
    return [place for place, hit in enumerate(hits) if hit.time and abs(used.time - hit.time) <= _ONE_TALK]
