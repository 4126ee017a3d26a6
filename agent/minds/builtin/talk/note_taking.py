"""Keeping notes when told to, and the name that somebody gives: what to keep, and the tool call that keeps it."""

from datetime import datetime

from agent.minds.builtin.talk.quotation import for_quoting
from agent.minds.builtin.talk.scene import NOTEPAD, Scene, can_write
from agent.minds.builtin.talk.voice import Phrasebook
from managers.language.reading.forget_wishes import ForgetWish, read_forget_wish
from managers.language.reading.introductions import name_noted
from managers.language.reading.note_wishes import LONGEST_NOTE, clean, read_note_wish
from managers.language.reading.rules import fits_any, rules, search_any
from managers.language.reading.times import find_times, without_times
from managers.language.words import content_words
from managers.mind import ReplyRequest, ToolCall

_QUOTED = 120
_A_NAME = 16  # what is longer tells a whole fact, which nobody wants to hear again


def keep(scene: Scene) -> str | ToolCall | None:
    """Keep what the user wants kept: call the tool, then, when it has answered, say so; None if nothing is to be kept."""
    request, say = scene.request, scene.book.say
    said_before = scene.heard[-1] if scene.heard else ""
    wish = read_note_wish(scene.message, said_before)
    if wish is None:
        return None
    if fits_any("notes", "a_file", wish) or (wish == clean(said_before) and _sent(request)):
        if not (sent := _sent(request)) and request.message.attachments:
            return say("note", "no_text")
        if not sent:
            wish = clean(said_before)
        elif len(sent) > LONGEST_NOTE:
            return say("note", "too_long", file=_sent_name(scene))
        else:
            wish = f"{_sent_name(scene)}: {sent}"
    if not wish:
        return say("note", "what")
    if (outcome := _outcome(request)) is not None:
        return say("note", outcome, text=for_quoting(wish, scene.lang, _QUOTED))
    note = note_text(wish, scene.book, said_before)
    return as_call(note, scene) if can_write(request) else say("note", "no_tool")


def _sent(request: ReplyRequest) -> str:
    """Return what stands in the files that came with the message, on one line; empty where none did."""
    parts = (text for file in request.files if not file.is_earlier for _, text in file.parts)
    return " ".join(" ".join(parts).split())


def _sent_name(scene: Scene) -> str:
    return next(for_quoting(file.name, scene.lang, 60) for file in scene.request.files if not file.is_earlier)


def _outcome(request: ReplyRequest) -> str | None:
    """Return what became of the note, as the tool answers; None where it was not called yet."""
    answer = _answer_of_tool(request)
    if answer is None:
        return None
    return (
        "held" if fits_any("notes", "held", answer) else "failed" if fits_any("notes", "not_done", answer) else "done"
    )


def _answer_of_tool(request: ReplyRequest) -> str | None:
    last = request.turns[-1:]
    return last[0].text if last and last[0].role == "tool" else None


def keep_name(scene: Scene) -> ToolCall | None:
    """Keep a name that was just given and stands nowhere yet: a conversation ends, the notepad stays.

    The note of the name before is replaced. A name that the settings hold is not for a note to change.
    """
    request, given = scene.request, scene.given
    noted = name_noted(request.notes, request.sheet.persona)
    is_fixed = request.sheet.user_name not in ("", noted)
    if not given or given == noted or is_fixed or _outcome(request) is not None or not can_write(request):
        return None
    before = [line for line in request.notes.splitlines() if fits_any("notes", "a_name", line)]
    return as_call(scene.book.phrase("record", "name", given=given), scene, instead_of=before[-1] if before else "")


def note_text(wish: str, book: Phrasebook, asked: str = "") -> str:
    """Return the wish as the note reads: about the user, by name, nothing added.

    `asked` is what the user said before: a bare date or number says nothing without it.
    """
    rest = without_times(wish, find_times(wish, datetime(2000, 1, 1)))
    is_bare = bool(asked) and all(term.isdecimal() for term in content_words(rest))
    lang, you = book.voice.lang, book.voice.you or book.voice.marks["somebody"]
    oneself = rules(lang, "notes").get("oneself")
    text = oneself.pattern.sub(you, wish) if oneself else for_quoting(wish, lang, LONGEST_NOTE)
    told = book.phrase("record", "told", text=text, you=you)
    return f"{told} {book.phrase('record', 'after', before=for_quoting(asked, lang, 60))}" if is_bare else told


def as_call(note: str, scene: Scene, *, instead_of: str = "") -> ToolCall:
    """Return the call that appends a dated line to the notepad, or puts it in place of one that stands there."""
    arguments = {"operation": "append", "text": f"{scene.request.now:%Y-%m-%d} {note}"}
    if instead_of:
        arguments |= {"operation": "replace", "old_text": instead_of}
    return ToolCall(id=f"note-{scene.request.message.id}", name=NOTEPAD, arguments=arguments)


TOOL = "forget_messages"


def forget(scene: Scene) -> str | ToolCall | None:
    """Let go of what a message asks to have forgotten, and say what; None if it asks for nothing of the kind."""
    request = scene.request
    wish = read_forget_wish(scene.message)
    if wish is None:
        return None
    if (answer := _answer_of_tool(request)) is not None:
        return _told(scene, wish, answer)
    if any(tool.name == TOOL for tool in request.tools):
        return ToolCall(id=f"forget-{request.message.id}", name=TOOL, arguments={"about": wish.about})
    return scene.book.say("note", "forget_here_not" if can_write(request) else "forget_unrecorded")


def _told(scene: Scene, wish: ForgetWish, answer: str) -> str:
    """Say what became of it, as the tool answers: nothing is claimed that was not done."""
    done = search_any("notes", "forgotten", answer)
    if done is None:
        return scene.book.say("note", "forget_which")
    name = "forgot_about" if 0 < len(wish.about) <= _A_NAME else "forgot"
    said = scene.book.say("note", name, about=wish.about, time=done["time"], count=done["count"])
    is_left = "\n" in answer.strip()
    return scene.book.voice.joint.join([said, scene.book.say("note", "forgot_but_notes")] if is_left else [said])
