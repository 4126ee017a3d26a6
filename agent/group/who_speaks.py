"""Who speaks next in a conversation of several: decided from what was said, no model is asked."""

from collections.abc import Mapping, Sequence
from typing import Final, NotRequired, TypedDict

USER: Final = "user"
"""What the user's turns stand under."""
SHORT_TERM: Final = 8
"""So many turns are the short-term memory of a conversation of several."""


class Said(TypedDict):
    """One turn: who spoke (`USER`, or the persona's name), and the words."""

    speaker: str
    msg: str


class GroupState(TypedDict):
    """One thread of a conversation of several; the specification's names.

    Attributes:
        thread_id: which topic of the conversation it is.
        domain: what it is about; may be empty.
        turns: the last ones, oldest first.
        targets: whom the user addressed.
        ct: how many times in a row each persona has spoken up to now, whatever the user said in between.
        auto_prompt: how many times the personas went on among themselves since the user spoke.
        present: the personas who are there, the one who was silent longest first.
        only: those who alone are to speak; empty: anybody.
        owners: whose domain the message is about, the one whom it fits best first.
        called: whom the last persona addressed.
        spoken: who has answered since the user spoke, in order.
        failed: who was to speak, and could not.
        quiet: one answer is enough: a wish to forget, a message of danger.
        next: who speaks now; empty: it is the user's turn.
    """

    thread_id: int
    domain: str
    turns: list[Said]
    targets: list[str]
    ct: dict[str, int]
    auto_prompt: int
    present: list[str]
    only: list[str]
    owners: list[str]
    called: list[str]
    spoken: list[str]
    failed: list[str]
    quiet: bool
    next: NotRequired[str]


def next_speaker(state: GroupState, max_ct: int, max_auto_prompt: int) -> str:
    """Return who speaks next; empty where it is the user's turn.

    Whom the user addressed speaks first, in the order in which they were named. Of an unaddressed message the one speaks
    whose domain it is, else the one who was silent longest; who has spoken `max_ct` times in a row lets another one who can
    go first. After that the personas may go on among themselves: whoever was called by the last one, whose domain it is too,
    or one more who has not spoken; but never the last one again, and all together no more than `max_auto_prompt` times.
    """
    able = [one for one in state["present"] if one not in state["failed"]]
    able = [one for one in able if not state["only"] or one in state["only"]]
    spoken = state["spoken"]
    waiting = [one for one in state["targets"] if one in able and one not in spoken]
    if waiting:
        return "" if state["quiet"] and spoken else waiting[0]
    if not spoken:
        ordered = [*(one for one in state["owners"] if one in able), *by_silence(state["turns"], able)]
        return next((one for one in ordered if state["ct"].get(one, 0) < max_ct), next(iter(ordered), ""))
    if state["quiet"] or state["auto_prompt"] >= max_auto_prompt:
        return ""
    return next((one for one in _going_on(state, able) if one != spoken[-1]), "")


def is_automatic(state: GroupState) -> bool:
    """Tell whether whoever speaks now answers the other personas, and not the user."""
    speaker = state.get("next", "")
    return bool(state["spoken"]) and (speaker not in state["targets"] or speaker in state["spoken"])


def by_silence(turns: Sequence[Said], names: Sequence[str]) -> list[str]:
    """Return personas in the order of their silence, the longest first."""
    last = {turn["speaker"]: at for at, turn in enumerate(turns)}
    return sorted(names, key=lambda name: last.get(name, -1))


def with_turn(state: GroupState, speaker: str, msg: str) -> tuple[list[Said], dict[str, int]]:
    """Return the turns, and who has spoken how many times in a row, after one more."""
    turns: list[Said] = [*state["turns"], {"speaker": speaker, "msg": msg}]
    before = state["ct"] if speaker == USER else {speaker: state["ct"].get(speaker, 0) + 1}
    ct = {name: before.get(name, 0) for name in state["present"]}
    return turns[-SHORT_TERM:], ct


def counted(speakers: Sequence[str], present: Sequence[str]) -> Mapping[str, int]:
    """Return who has spoken how many times in a row at the end of some turns, those of the user left out."""
    ct = dict.fromkeys(present, 0)
    spoke = [one for one in speakers if one != USER]
    for speaker in reversed(spoke):
        if speaker != spoke[-1] or speaker not in ct:
            break
        ct[speaker] += 1
    return ct


def _going_on(state: GroupState, able: Sequence[str]) -> list[str]:
    """Return who may go on after the first answer, the likeliest first."""
    unheard = [one for one in able if one not in state["spoken"]]
    called = [one for one in state["called"] if one in able]
    if state["targets"]:
        return called  # the ones who were addressed have answered
    owners = [one for one in state["owners"] if one in unheard]
    second = by_silence(state["turns"], unheard) if len(state["spoken"]) == 1 else []
    return [*called, *owners, *second]
