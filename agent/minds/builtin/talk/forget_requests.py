"""Forgetting when asked to: the tool call that lets go of words, and the sentence that says so."""

from __future__ import annotations

from agent.minds.builtin.talk.scene import Scene, can_write
from managers.language.reading.forget_wishes import ForgetWish, read_forget_wish
from managers.language.reading.rules import search_any
from managers.mind import ToolCall

TOOL = "forget_messages"


def forget(scene: Scene) -> str | ToolCall | None:
    """Let go of what a message asks to have forgotten, and say what; None if it asks for nothing of the kind."""
    request = scene.request
    wish = read_forget_wish(scene.message)
    if wish is None:
        return None
    last = request.turns[-1] if request.turns else None
    if last is not None and last.role == "tool":
        return _told(scene, wish, last.text)
    if any(tool.name == TOOL for tool in request.tools):
        return ToolCall(id=f"forget-{request.message.id}", name=TOOL, arguments={"about": wish.about})
    return scene.book.say("note", "forget_here_not" if can_write(request) else "forget_unrecorded")


def _told(scene: Scene, wish: ForgetWish, answer: str) -> str:
    """Say what became of it, as the tool answers: nothing is claimed that was not done."""
    done = search_any("notes", "forgotten", answer)
    if done is None:
        return scene.book.say("note", "forget_which")
    name = "forgot_about" if wish.about else "forgot"
    said = scene.book.say("note", name, about=wish.about, time=done["time"], count=done["count"])
    is_left = "\n" in answer.strip()
    return scene.joint.join([said, scene.book.say("note", "forgot_but_notes")] if is_left else [said])
