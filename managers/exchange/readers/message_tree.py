"""A conversation as a tree of messages: what is shown of it, and the answers that were given in one place."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from managers.exchange.items import FoundAnswer, FoundMessage


@dataclass(frozen=True, slots=True)
class Node:
    """One place in a tree.

    Attributes:
        parent: what it follows; empty for a root.
        said: what was said; None where it is something else.
        thought, notes: what belongs to the persona's next words.
    """

    parent: str
    said: FoundMessage | None = None
    thought: str = ""
    notes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Branch:
    """What is shown of a tree.

    Attributes:
        messages: from the first to the last.
        aside: how many messages stand on other branches and are no other answers of those.
        loose: notes behind the last message of the persona, of which there is none to keep them with.
    """

    messages: tuple[FoundMessage, ...]
    aside: int
    loose: tuple[tuple[str, str], ...] = ()


def shown_branch(nodes: Mapping[str, Node], leaf: str) -> Branch:
    """Return what a conversation shows.

    Args:
        nodes: all of them, oldest first among those with the same parent.
        leaf: where it ends; where there is no such node, at the last one that nothing follows.
    """
    following: dict[str, list[str]] = {}
    for name, node in nodes.items():
        following.setdefault(node.parent, []).append(name)
    if leaf not in nodes:
        leaf = next((name for name in reversed([*nodes]) if name not in following), "")
    path = _path(nodes, leaf)
    on_path = set(path)
    messages: list[FoundMessage] = []
    answers: list[FoundAnswer] = []
    at, thought, used = 0, "", 0
    notes: tuple[tuple[str, str], ...] = ()
    for name in path:
        earlier = True
        for other in following.get(nodes[name].parent, ()) if nodes[name].parent else ():
            if other == name:
                earlier = False
            elif other not in on_path and (answer := _first_answer(nodes, following, other)):
                answers.append(answer)
                at += earlier
        node = nodes[name]
        thought, notes = _joined(thought, node.thought), (*notes, *node.notes)
        if node.said is None:
            continue
        if node.said.role != "persona":
            messages.append(node.said)
            answers, at = [], 0
            continue
        messages.append(_with(node.said, thought, notes, answers, at))
        used += len(answers)
        answers, at, thought, notes = [], 0, "", ()
    spoken = sum(node.said is not None for node in nodes.values())
    kept = _with_loose(messages, thought, notes)
    return Branch(tuple(kept), spoken - len(messages) - used, () if kept else notes)


def timed(messages: Sequence[FoundMessage], begun: datetime | None) -> Iterator[FoundMessage]:
    """Yield messages in their order; one without a time gets the nearest known one before it, or the first one after."""
    known = next((one.time for one in messages if one.time is not None), begun)
    last = begun or known
    for message in messages:
        if message.time is not None:
            last = message.time
            yield message
        else:
            yield replace(message, time=last, is_time_certain=False)


def _path(nodes: Mapping[str, Node], leaf: str) -> list[str]:
    """Return the names from the root to a leaf; a circle ends where it begins again."""
    path: dict[str, None] = {}
    while leaf in nodes and leaf not in path:
        path[leaf] = None
        leaf = nodes[leaf].parent
    return [*reversed(path)]


def _first_answer(nodes: Mapping[str, Node], following: Mapping[str, Sequence[str]], name: str) -> FoundAnswer | None:
    """Return what the persona says first on a branch, if it is the first who says something."""
    thought, seen = "", set[str]()
    while name and name not in seen:
        seen.add(name)
        node = nodes[name]
        thought = _joined(thought, node.thought)
        if node.said is not None:
            said = node.said
            return FoundAnswer(said.text, said.mind, _joined(thought, said.thought)) if said.role == "persona" else None
        name = next(iter(following.get(name, ())), "")
    return None


def _with(
    said: FoundMessage, thought: str, notes: tuple[tuple[str, str], ...], answers: list[FoundAnswer], at: int
) -> FoundMessage:
    return replace(
        said,
        thought=_joined(thought, said.thought),
        notes=(*notes, *said.notes),
        answers=(*said.answers, *answers),
        at=said.at + at,
    )


def _with_loose(messages: list[FoundMessage], thought: str, notes: tuple[tuple[str, str], ...]) -> list[FoundMessage]:
    """Return messages, the last of which keeps what no answer followed any more."""
    if not messages or not (thought or notes):
        return messages
    last = messages[-1]
    added = (*last.notes, *notes, *((("thought", thought),) if thought else ()))
    return [*messages[:-1], replace(last, notes=added)]


def _joined(first: str, second: str) -> str:
    return "\n\n".join(one for one in (first, second) if one)
