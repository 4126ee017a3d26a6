"""The conversation: transcript, composer, and the handlers between them and the companion."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from html import escape
from pathlib import Path
from typing import Any

import gradio as gr
from gradio.events import Dependency

from agent.companion import Companion
from agent.errors import AttachmentUnreadableError
from agent.events import Failed, Noticed, Recalled, Received, Replied, Speaking, Thinking, ToolUsed, TurnEvent
from agent.services import Services
from agent.turn import Turn
from managers.memory.messages import Message
from managers.storage.errors import UtataneError
from ui import mending, presenters
from ui.edge import IN_TURN, QUIET, at_edge, say_error, stream_at_edge
from ui.faces import face_of
from ui.locales import Texts
from ui.presenters import Item, Live
from ui.uploads import uploaded
from ui.windows import PAGE_OF_MESSAGES, Window, Windows

_SECONDS_BETWEEN_UPDATES = 0.05
"""A fast mind's pieces are gathered: the eye gains nothing from more than twenty updates a second."""

_CHANGES = frozenset({"edit", "delete", "regenerate", "forget", "remember"})

Update = tuple[Any, Any, Any]
"""Values for the transcript, the composer and the notices."""


@dataclass(frozen=True, slots=True)
class Chat:
    """The components that the rest of the page talks to."""

    transcript: gr.HTML
    composer: gr.HTML
    notices: gr.HTML
    answered: tuple[Dependency, ...]
    """What ends with an answer; which mind gave it may be another one than before."""


def create_chat(services: Services, t: Texts, current: gr.State) -> Chat:
    """Build the conversation for the persona whose name `current` holds."""
    notices = gr.HTML(elem_id="notices", js_on_load="utatane.notices(element, watch)", apply_default_css=False)
    transcript = gr.HTML(
        {},
        elem_id="conversation",
        html_template=f'<div class="transcript" role="log" aria-live="polite" tabindex="0" aria-label="{escape(t("chat.label"))}"></div>',
        js_on_load="utatane.transcript(element, trigger, props, watch) // 'retry' 'older' 'delete' 'edit' 'stale'",
        apply_default_css=False,
    )
    composer = gr.HTML(
        {},
        elem_id="composer",
        html_template=_composer_html(t),
        js_on_load="utatane.composer(element, trigger, props, upload, watch) // 'submit' 'stop' 'veil' 'topic' 'refused'",
        apply_default_css=False,
    )
    talk = Conversation(services, t)
    shown = [transcript, composer, notices]
    streamed, plain = stream_at_edge(t), at_edge(t)
    current.change(streamed(talk.follow), current, shown, **IN_TURN)  # the turn that is shown may still go on
    transcript.stale(streamed(talk.follow), current, shown, **QUIET)
    said = composer.submit(streamed(talk.say), current, shown, **IN_TURN)
    composer.stop(plain(talk.stop), current, None, **IN_TURN)
    composer.veil(plain(talk.veil), current, shown, **IN_TURN)
    composer.topic(plain(talk.begin_topic), current, shown, **IN_TURN)
    composer.refused(plain(talk.refuse_file), None, None, **IN_TURN)
    transcript.older(plain(talk.show_older), current, shown, **IN_TURN)
    again = transcript.retry(streamed(talk.regenerate), current, shown, **IN_TURN)
    transcript.edit(streamed(talk.edit_last), current, shown, **IN_TURN)
    transcript.delete(plain(talk.delete_last), current, shown, **IN_TURN)
    return Chat(transcript, composer, notices, (said, again))


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation, and the window that it is asked from; the window may show another one by now."""

    companion: Companion
    window: Window

    @property
    def is_shown(self) -> bool:
        """Whether the window shows this persona still."""
        return self.window.shows(self.companion.memories.paths.name)


class Conversation:
    """The handlers: each reads, asks the companion once, and presents.

    What is done is done to the persona whose conversation one had before one's eyes (`event.persona`), even if another
    one was chosen meanwhile. What comes of it is shown where that persona is shown still, as deep and as veiled as that
    window is by then.
    """

    def __init__(self, services: Services, t: Texts) -> None:
        """Take the services and the page's language."""
        self._services = services
        self._t = t
        self._windows = Windows()

    def follow(self, persona: str, request: gr.Request) -> Iterator[Update]:
        """Show the conversation, and the turn under way if another window began one."""
        if not persona:
            return
        talk = Talk(self._services.companion(persona), self._windows.of(request.session_hash))
        talk.window.persona = persona
        yield from self._follow(talk)

    def say(self, persona: str, event: gr.EventData, request: gr.Request) -> Iterator[Update]:
        """Say something, and show the answer as it comes; what was refused goes back into the composer."""
        text, off_record = str(event.text), bool(event.off_record)
        talk = self._talk(persona, event, request)
        uploads: list[Path] = []
        try:
            uploads = [uploaded(path) for path in event.files]
            talk.companion.say(text, attachments=uploads, off_record=off_record)
        except UtataneError as error:
            say_error(error, self._t)
            given_back, uploads = (uploads, []) if not off_record else ([], uploads)
            if talk.is_shown:  # elsewhere the browser itself has kept it
                yield gr.skip(), self._composer(talk, restore=text, files=bool(given_back)), gr.skip()
            return
        finally:
            for upload in uploads:
                upload.unlink(missing_ok=True)  # the companion has its own copy, or wants none off the record
        yield from self._follow(talk, jump=True)

    def regenerate(self, persona: str, event: gr.EventData, request: gr.Request) -> Iterator[Update]:
        """Answer the last message anew; with the built-in mind, where that is asked for."""
        talk = self._talk(persona, event, request)
        talk.companion.regenerate(built_in=getattr(event, "by", "") == "builtin")
        yield from self._follow(talk, jump=True)

    def edit_last(self, persona: str, event: gr.EventData, request: gr.Request) -> Iterator[Update]:
        """Replace the last message and answer it."""
        talk = self._talk(persona, event, request)
        talk.companion.edit_last(str(event.text))
        yield from self._follow(talk, jump=True)

    def delete_last(self, persona: str, event: gr.EventData, request: gr.Request) -> Update:
        """Take back the last message and its answer."""
        talk = self._talk(persona, event, request)
        talk.companion.delete_last()
        return self._shown(talk)

    def stop(self, persona: str, event: gr.EventData, request: gr.Request) -> None:
        """Stop the reply under way."""
        if turn := self._talk(persona, event, request).companion.turn:
            turn.stop()

    def veil(self, persona: str, event: gr.EventData, request: gr.Request) -> Update:
        """Go off the record, or come back and let go of what was said there."""
        talk = self._talk(persona, event, request)
        talk.window.veiled = bool(event.off_record)
        if not talk.window.veiled:
            talk.companion.forget_off_record()
        return self._shown(talk)

    def begin_topic(self, persona: str, event: gr.EventData, request: gr.Request) -> Update:
        """Begin a new topic."""
        talk = self._talk(persona, event, request)
        talk.companion.new_topic()
        return self._shown(talk, jump=True)

    def show_older(self, persona: str, event: gr.EventData, request: gr.Request) -> Update:
        """Show more of what was said before."""
        talk = self._talk(persona, event, request)
        talk.window.depth += PAGE_OF_MESSAGES
        return self._shown(talk)

    def refuse_file(self, event: gr.EventData) -> None:
        """Say that a file could not be taken."""
        raise AttachmentUnreadableError(name=str(event.name))

    def _talk(self, persona: str, event: gr.EventData, request: gr.Request) -> Talk:
        name = str(getattr(event, "persona", "") or persona)
        return Talk(self._services.companion(name), self._windows.of(request.session_hash))

    def _follow(self, talk: Talk, *, jump: bool = False) -> Iterator[Update]:
        """Show the turn under way while it lasts, then the conversation as it is on disk."""
        if not talk.is_shown:
            return  # it goes on, and is there when one comes back
        goes_on = talk.window.draw(talk.companion.memories.paths.name)
        seen: Live | None = None
        while (turn := talk.companion.turn) and goes_on():
            seen = yield from self._follow_turn(talk, turn, goes_on, jump=jump)
        if goes_on():
            yield self._drawn(talk, seen=seen)

    def _follow_turn(
        self, talk: Talk, turn: Turn, goes_on: Callable[[], bool], *, jump: bool
    ) -> Generator[Update, None, Live]:
        live, view, drawn = Live(turn.answers), None, None
        for fresh in turn.batches(goes_on):
            live = reduce(_grow, fresh, live)
            now = (live.heard, talk.window.depth, talk.window.veiled)
            if drawn and now == view:  # only the reply grows: the log is not read again
                yield self._with_reply(drawn[0], talk.companion, live), *drawn[1:]
            else:
                drawn = self._drawn(talk, jump=jump and (view is None or view[0] != now[0]))
                view = now
                yield drawn
            turn.wait(_SECONDS_BETWEEN_UPDATES)
        return live

    def _with_reply(self, before: dict[str, Any], companion: Companion, live: Live) -> dict[str, Any]:
        """Return the transcript with the reply as far as it has come."""
        face = face_of(self._services, companion.memories.paths.name)
        reply = _row(presenters.live_reply(live, face, self._t))
        items = [reply if item["id"] == reply["id"] else item for item in before["items"]]
        return {**before, "items": items, "jump": False}

    def _shown(self, talk: Talk, *, jump: bool = False) -> Update:
        return self._drawn(talk, jump=jump) if talk.is_shown else (gr.skip(), gr.skip(), gr.skip())

    def _drawn(self, talk: Talk, *, seen: Live | None = None, jump: bool = False) -> Update:
        """Return everything as it is now, with the turn under way as far as it has come, whoever asks."""
        turn = talk.companion.turn
        live = reduce(_grow, turn.so_far, Live(turn.answers)) if turn else None
        value = self._transcript(talk, turn, live)
        shown = [item["id"] for item in value["items"]]
        if seen and seen.thinking and seen.answer in shown:  # only who has seen it being thought goes on seeing it
            thought = _row(presenters.reasoning_item(seen.answer, seen.thinking, self._t))
            value["items"].insert(shown.index(seen.answer), thought)
        value |= {"jump": jump, "turn": turn.number if turn else 0}
        return value, self._composer(talk, busy=live is not None), gr.skip() if live else self._notices(talk.companion)

    def _notices(self, companion: Companion) -> str:
        found = [*self._services.notices.all, *companion.memories.gather_notices()]
        return presenters.notices(found, self._t, mending.ways(self._t))

    def _transcript(self, talk: Talk, turn: Turn | None, live: Live | None) -> dict[str, Any]:
        companion, depth, t = talk.companion, talk.window.depth, self._t
        log = companion.memories.log
        revision = revision_of(companion)  # read before the log: a change in between is noticed again
        face = face_of(self._services, companion.memories.paths.name)
        found = log.tail(depth + 1, controls=True)
        today = self._services.clock.now().date()
        said = _spoken(found[-depth:])
        recalled = companion.memories.recall_log.counts(depth)
        items = presenters.transcript(_without_reply_under_way(said, live), face, today, t, recalled=recalled)
        if len(found) > depth:
            items.insert(0, presenters.older_button(t))
        if not any(m.role != "system" for m in said) and not companion.off_record:
            items.append(presenters.opening(companion.memories.persona().greeting, face, t))
        unwritten = companion.off_record
        veiled = _is_veiled(talk)
        unveiled = len(items)
        if veiled:
            items.append(presenters.off_record_banner(t))
            items += presenters.transcript(unwritten, face, today, t, off_record=True)
        if turn and live:
            items.insert(len(items) if turn.off_record else unveiled, presenters.live_reply(live, face, t))
        elif outcome := _outcome(companion, [*said, *unwritten]):
            items += presenters.outcome(outcome, t, can_retry=not veiled)
        return {
            "key": f"{face.name}",
            "persona": face.name,
            "address": presenters.persona_address(face.name),
            "items": [_row(item) for item in items],
            "busy": live is not None,
            "off_record": veiled,
            "revision": revision,
        }

    def _composer(
        self, talk: Talk, *, busy: bool | None = None, restore: str = "", files: bool = False
    ) -> dict[str, Any]:
        name, veiled = talk.companion.memories.paths.name, _is_veiled(talk)
        key = "chat.placeholder_off_record" if veiled else "chat.placeholder"
        value: dict[str, Any] = {
            "persona": name,
            "placeholder": self._t(key, name=name),
            "busy": talk.companion.turn is not None if busy is None else busy,
            "off_record": veiled,
        }
        if restore or files:
            value["restore"] = {"text": restore, "files": files, "count": time.monotonic_ns()}
        return value


def _is_veiled(talk: Talk) -> bool:
    """Tell whether what is said next is off the record: the window is, or there is what was said so."""
    turn = talk.companion.turn
    return talk.window.veiled or bool(talk.companion.off_record) or bool(turn and turn.off_record)


def revision_of(companion: Companion) -> str:
    """Return a cheap token that changes whenever the page would show something else."""
    turn = companion.turn
    memories = companion.memories
    unwritten = companion.off_record[-1].id if companion.off_record else ""
    parts = (memories.log.revision(), unwritten, turn.number if turn else 0, memories.recall.making)
    return "/".join(map(str, parts))


def _grow(live: Live, event: TurnEvent) -> Live:  # noqa: PLR0911  # one return per event reads best
    """Return what is shown of a turn after one more event."""
    match event:
        case Received(message):
            return replace(live, heard=message.id)
        case Recalled(hits=hits):
            return replace(live, hits=tuple(hits))
        case Thinking(text):
            return replace(live, thinking=live.thinking + text)
        case Speaking(text):
            return replace(live, speaking=live.speaking + text)
        case ToolUsed(announcement):
            return replace(live, used=(*live.used, announcement.text), speaking="")
        case Noticed(notice):
            return replace(live, noticed=(*live.noticed, notice))
        case Failed(error):
            return replace(live, error=error, over=True)
        case Replied(message):
            return replace(live, answer=message.id, over=True)


def _outcome(companion: Companion, said: Sequence[Message]) -> Live | None:
    """Return how the last turn went, for as long as nothing was said since: any window may ask, at any time."""
    turn = companion.last_turn
    if turn is None:
        return None
    events = turn.so_far
    written = [message for event in events if (message := _written(event))]
    if written and (not said or said[-1].id != written[-1].id):
        return None
    return reduce(_grow, events, Live())


def _written(event: TurnEvent) -> Message | None:
    match event:
        case Received(message) | ToolUsed(message):
            return message
        case Replied():
            return event.message
        case _:
            return None


def _without_reply_under_way(messages: Sequence[Message], live: Live | None) -> Sequence[Message]:
    """Leave out what the live part shows itself: all that came of the message that is being answered."""
    for position, message in enumerate(messages):
        if live and message.id == live.heard:
            return messages[: position + 1]
    return messages


def _spoken(records: Sequence[Message]) -> list[Message]:
    """Leave out the records of changes, which `tail` has applied; topics stay, a line is drawn there."""
    return [record for record in records if record.role != "system" or record.speaker not in _CHANGES]


def _row(item: Item) -> dict[str, str]:
    return {"id": item.id, "html": item.html}


def _composer_html(t: Texts) -> str:
    def button(name: str, key: str, more: str = "") -> str:
        label = escape(t(key))
        return f'<button type="button" class="{name}" aria-label="{label}" title="{label}" {more}></button>'

    return (
        f'<div class="tray"></div><div class="box">{button("attach icon", "chat.attach")}'
        f'<input type="file" multiple hidden>'
        f'<textarea rows="1" aria-label="{escape(t("chat.message"))}" autocomplete="off" enterkeyhint="send"></textarea>'
        f"{button('send', 'chat.send')}{button('stop', 'chat.stop', 'hidden')}</div>"
        f'<div class="below"><button type="button" class="topic"><i class="icon"></i>{escape(t("chat.new_topic"))}</button>'
        f'<button type="button" class="veil" aria-pressed="false"><i class="icon"></i>{escape(t("chat.off_record"))}</button>'
        f'<span class="keys">{escape(t("chat.keys"))}</span></div>'
    )
