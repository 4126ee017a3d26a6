"""What a round of a conversation of several begins with, made from what was said, and how it is gone through."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from agent.group.topics import note
from agent.group.who_speaks import SHORT_TERM, USER, Said, by_silence, counted
from managers.groups import Standing
from managers.memory.log import ConversationLog
from managers.memory.messages import Message, Role
from managers.sessions.threads import Move
from managers.sessions.threads import Said as TopicSaid

if TYPE_CHECKING:
    from agent.group.nodes import Round, RoundSurroundings

_MOST_STEPS = 100
"""More nodes than any round has: the settings allow ten answers beside those of five who were addressed."""


def begun_with(
    message: Message, standing: Standing, domain: str, before: Sequence[Message], since: Sequence[Message] = ()
) -> Round:
    """Return the thread as it stands before a message is read; whoever was silent longest stands first.

    `since` is what was answered already, where the message is answered once more.
    """
    recent = _turns(before)
    present = by_silence(recent, message.present)
    return {
        "thread_id": message.thread,
        "domain": domain,
        "turns": _turns([one for one in before if one.thread == message.thread]),
        "targets": [],
        "ct": dict(counted([_speaker(one) for one in before if one.role != "system"], present)),
        "auto_prompt": 0,
        "present": present,
        "only": [one for one in standing.only if one in present],
        "owners": [],
        "called": [],
        "spoken": [one.speaker for one in since],
        "failed": [],
        "quiet": False,
        "message": message,
        "since": [replace(one, role="other") for one in since],
        "arranges": False,
    }


def let_know(log: ConversationLog, name: str, heard: Sequence[Message]) -> None:
    """Put into a persona's log what it heard and is not there, deleted or not."""
    known = log.known([one.id for one in heard])
    missed = [one for one in heard if one.id not in known and one.speaker != name]
    roles: dict[str, Role] = {one.id: "user" if one.role == "user" else "other" for one in missed}
    if missed:
        log.append_many(replace(one, role=roles[one.id], branch="", variant="") for one in missed)


def gone_through(state: Round, around: RoundSurroundings) -> Round:
    """Go through a round; return its state at the end."""
    from agent.group.graph import compiled_round  # noqa: PLC0415  # the graph's libraries take most of a second

    return cast("Round", compiled_round().invoke(state, {"recursion_limit": _MOST_STEPS}, context=around))


def note_round(standing: Standing, done: Round, left: int, move: Move, said: TopicSaid) -> None:
    """Note where a conversation stands after a round, which left one topic for another or went on with it."""
    standing.thread_id = left
    note(standing, move, said, done["domain"])
    standing.targets = done["targets"]
    standing.only = [one for one in done["only"] if one in standing.present]
    standing.last = said.time.isoformat(timespec="seconds")


def _turns(messages: Sequence[Message]) -> list[Said]:
    """Return the last of some messages as turns of the short-term memory."""
    found = messages[-SHORT_TERM:]
    return [{"speaker": _speaker(one), "msg": one.text} for one in found]


def _speaker(message: Message) -> str:
    return USER if message.role == "user" else message.speaker
