"""What can be done with a message of a conversation of several: for everybody who heard it, under the one id that it has.

Each step may be done twice. What could not be written for one of them is raised when it is done for the others; done once
more, it is done for whoever is left.
"""

from collections.abc import Callable, Mapping
from itertools import dropwhile

from agent.companion import Companion, check_message
from agent.erasing import erase as erase_in
from agent.erasing import plan_erasure
from agent.errors import StillAnsweringError
from agent.group.conversation import GroupConversation
from managers.hygiene.erasure import Plan, Report
from managers.hygiene.errors import NothingToEraseError, PlanChangedError
from managers.memory.errors import MessageNotFoundError
from managers.memory.messages import Message
from managers.storage.errors import UtataneError
from managers.storage.files import digest


def message_of(talk: GroupConversation, message_id: str) -> Message:
    """Return what somebody said in a conversation, as it reads now.

    Raises:
        MessageNotFoundError: it does not stand there.
    """
    for companion in _all(talk).values():
        message = companion.memories.log.get(message_id)
        if message is not None and message.group == talk.id:
            return message
    raise MessageNotFoundError(message_id=message_id)


def edit(talk: GroupConversation, message_id: str, text: str) -> None:
    """Give a message another text, for all who heard it.

    Raises:
        MessageNotFoundError, EmptyMessageError, MessageTooLongError, StillAnsweringError: nothing was changed.
        DiskFullError, UnwritableError, BusyError: it reads anew for the others.
    """
    check_message(text, message_of(talk, message_id).attachments)
    hearers = _hearers(talk, message_id)
    # The one whose words the page shows comes last: killed in between, it reads as before, and is done once more.
    _for_each(dict(reversed(hearers.items())), lambda companion: companion.edit(message_id, text))


def delete(talk: GroupConversation, message_id: str) -> None:
    """Take a message back for all who heard it, the user's last one together with its answers.

    Raises:
        MessageNotFoundError, StillAnsweringError: nothing was changed.
        DiskFullError, UnwritableError, BusyError: it is gone for the others.
    """
    message = message_of(talk, message_id)
    gone = [message_id]
    if message.role == "user":
        later = [*dropwhile(lambda one: one.id != message_id, talk.messages())]
        gone += [one.id for one in later if all(other.role != "user" for other in later[1:])][1:]
    _for_each(_hearers(talk, *gone), lambda companion: companion.take_back(gone))


def plans(talk: GroupConversation, message_id: str) -> Mapping[str, Plan]:
    """Return what erasing a message would take from each who heard it, deleted or not, by name.

    Raises:
        NothingToEraseError: nobody has it.
    """
    found: dict[str, Plan] = {}
    for name, companion in _all(talk).items():
        if message_id in companion.memories.log.known([message_id]):
            found[name] = plan_erasure(companion.memories, message_id)
    if not found:
        raise NothingToEraseError(what=message_id)
    return found


def mark_of(found: Mapping[str, Plan]) -> str:
    """Return what tells some plans from others."""
    return digest(" ".join(f"{name} {plan.mark}" for name, plan in sorted(found.items())))[:16]


def erase(talk: GroupConversation, message_id: str, seen: str) -> Mapping[str, Report]:
    """Erase a message for good, with what follows from it, for all who heard it.

    Raises:
        NothingToEraseError, StillAnsweringError
        PlanChangedError: somebody was shown something else; nothing was changed.
        DiskFullError, UnwritableError, BusyError: what was begun is finished at the next start.
    """
    found, there = plans(talk, message_id), _all(talk)
    if mark_of(found) != seen:
        raise PlanChangedError
    _refuse_while_answering(talk, {name: there[name] for name in found})
    reports: dict[str, Report] = {}

    def erased(companion: Companion) -> None:
        name = companion.memories.paths.name
        reports[name] = erase_in(companion.memories, found[name])

    _for_each({name: there[name] for name in found}, erased)
    return reports


def _all(talk: GroupConversation) -> dict[str, Companion]:
    """Return who is or was there and can be opened."""
    standing, found = talk.standing, dict[str, Companion]()
    for name in (*standing.present, *standing.former):
        try:
            found[name] = talk.open_companion(name)
        except UtataneError:
            continue  # deleted, or not to be opened: what they know lies with them
    return found


def _hearers(talk: GroupConversation, *ids: str) -> dict[str, Companion]:
    """Return those in whose conversation some of these messages stand.

    Raises:
        StillAnsweringError
    """
    found = {
        name: companion
        for name, companion in _all(talk).items()
        if any(companion.memories.log.get(one) is not None for one in ids)
    }
    _refuse_while_answering(talk, found)
    return found


def _refuse_while_answering(talk: GroupConversation, companions: Mapping[str, Companion]) -> None:
    for name, companion in companions.items():
        if talk.turn is not None or companion.turn is not None:
            raise StillAnsweringError(name=name)


def _for_each(companions: Mapping[str, Companion], work: Callable[[Companion], object]) -> None:
    """Do something for each, also where it fails for one; raise what failed first."""
    failed: UtataneError | None = None
    for companion in companions.values():
        try:
            work(companion)
        except UtataneError as error:
            failed = failed or error
    if failed is not None:
        raise failed
