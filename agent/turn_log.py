"""What a turn writes into the log; off the record, the same messages, which are written nowhere."""

from dataclasses import replace

from agent.addressing import called
from agent.state import Surroundings, TurnState
from managers.memory.log.format import normalised
from managers.memory.messages import GREETING, MOST_ORIGINS, PROGRAM, Message, Role
from managers.storage.clock import new_id
from managers.storage.locks import writing


def hear(state: TurnState, around: Surroundings) -> tuple[Message | None, Message]:
    """Write what the user says, with one write; where it is the first word ever, what the persona says first before it.

    Returns:
        the greeting, if it was written now; and the message.

    Raises:
        DiskFullError, UnwritableError, BusyError: nothing was written.
    """
    message = _message(around, "user", called(around.sheet), state["text"])
    attached = state["attached"]
    origins = (PROGRAM,) if state.get("for_program") else ()
    message = replace(message, attachments=attached.paths, attachment_names=attached.noted_names, origins=origins)
    if around.off_record:
        return None, _unwritten(message, around)
    log = around.memories.log
    with writing(log.paths):
        greeting = _greeting(around, state.get("opening", 0)) if not state["window"] and log.is_new() else None
        *_, written = said = log.append_together([greeting, message] if greeting else [message])
    return (said[0] if greeting else None), written


def announce(state: TurnState, around: Surroundings, text: str) -> Message:
    """Write that a tool was used; for an answer that is made anew, where only who reads the file finds it."""
    message, old, log = _message(around, "system", "tool", text), state.get("instead_of"), around.memories.log
    if around.off_record:
        return _unwritten(message, around)
    if old is not None:
        return log.note(old.id, message.speaker, text)
    return log.append("system", message.speaker, text, branch=state["branch"])


def answer(state: TurnState, around: Surroundings, mind: str) -> Message:
    """Write what the persona has said, as far as it came; in the place of the answer that is made anew, if one is.

    Raises:
        MessageNotFoundError: that one has been taken back meanwhile.
        DiskFullError, UnwritableError, BusyError: nothing was written.
    """
    text, old, log = state["said"], state.get("instead_of"), around.memories.log
    stopped = around.cancel.by_person
    broken_off = not stopped and (state["error"] is not None or around.cancel.is_set())
    message = _message(around, "persona", around.sheet.persona, text)
    origins = tuple(dict.fromkeys(state.get("carried", ())))[:MOST_ORIGINS]
    message = replace(message, mind=mind, broken_off=broken_off, stopped=stopped, origins=origins)
    company = state.get("company")
    if around.off_record:
        return _unwritten(message, around)
    if old is not None:
        return log.answer_anew(old.id, text, mind=mind, broken_off=broken_off, stopped=stopped, origins=origins)
    return log.append(
        "persona",
        message.speaker,
        text,
        mind=mind,
        broken_off=broken_off,
        stopped=stopped,
        branch=state["branch"],
        group=company.group if company else "",
        thread=company.thread if company else 0,
        present=company.present if company else (),
        origins=origins,
    )


def _greeting(around: Surroundings, chosen: int) -> Message | None:
    texts = around.spare(around.memories.openings) or []
    text = texts[min(chosen, len(texts) - 1)] if texts else ""
    return replace(_message(around, "persona", around.sheet.persona, text), mind=GREETING) if text else None


def _message(around: Surroundings, role: Role, speaker: str, text: str) -> Message:
    return Message("", around.clock.now(), role, speaker, text)


def _unwritten(message: Message, around: Surroundings) -> Message:
    return replace(normalised(message), id=new_id(around.clock, around.rng))
