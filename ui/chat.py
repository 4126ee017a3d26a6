"""The conversation: transcript, composer, and the handlers between them and the companion."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
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
from ui.windows import Windows

PAGE_OF_MESSAGES = 50
"""How many messages the page opens with, and adds each time one asks for older ones."""
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
    depth = gr.State(PAGE_OF_MESSAGES)
    veiled = gr.State(value=False)
    talk = Conversation(services, t)
    shown = [transcript, composer, notices]
    where = [current, depth, veiled]
    streamed, plain = stream_at_edge(t), at_edge(t)
    current.change(streamed(talk.follow), where, shown, **IN_TURN)  # the turn that is shown may still go on
    transcript.stale(streamed(talk.follow), where, shown, **QUIET)
    said = composer.submit(streamed(talk.say), [current, depth], shown, **IN_TURN)
    composer.stop(plain(talk.stop), [current], None, **IN_TURN)
    composer.veil(plain(talk.veil), [current, depth], [veiled, *shown], **IN_TURN)
    composer.topic(plain(talk.begin_topic), where, shown, **IN_TURN)
    composer.refused(plain(talk.refuse_file), None, None, **IN_TURN)
    transcript.older(plain(talk.show_older), where, [depth, *shown], **IN_TURN)
    again = transcript.retry(streamed(talk.regenerate), where, shown, **IN_TURN)
    transcript.edit(streamed(talk.edit_last), where, shown, **IN_TURN)
    transcript.delete(plain(talk.delete_last), where, shown, **IN_TURN)
    return Chat(transcript, composer, notices, (said, again))


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation as one window shows it.

    Attributes:
        depth: how many messages back.
        veiled: whether it is off the record.
        is_shown: tells whether the window shows this persona still.
    """

    companion: Companion
    depth: int
    veiled: bool
    is_shown: Callable[[], bool]


class Conversation:
    """The handlers: each reads, asks the companion once, and presents.

    What is done is done to the persona whose conversation one had before one's eyes (`event.persona`), even if another
    one was chosen meanwhile. What comes of it is shown where that persona is shown still.
    """

    def __init__(self, services: Services, t: Texts) -> None:
        """Take the services and the page's language."""
        self._services = services
        self._t = t
        self._windows = Windows()

    def follow(self, persona: str, depth: int, veiled: bool, request: gr.Request) -> Iterator[Update]:
        """Show the conversation, and the turn under way if another window began one."""
        if not persona:
            return
        companion = self._services.companion(persona)
        talk = Talk(companion, depth, veiled, self._windows.turn_to(request.session_hash, persona))
        turn = companion.turn
        if turn is None:
            yield self._shown(talk)
            return
        yield from self._follow(talk, turn)

    def say(self, persona: str, depth: int, event: gr.EventData, request: gr.Request) -> Iterator[Update]:
        """Say something, and show the answer as it comes; what was refused goes back into the composer."""
        text, talk = str(event.text), self._talk(persona, depth, bool(event.off_record), event, request)
        uploads: list[Path] = []
        try:
            uploads = [uploaded(path) for path in event.files]
            turn = talk.companion.say(text, attachments=uploads, off_record=talk.veiled)
        except UtataneError as error:
            say_error(error, self._t)
            if talk.is_shown():  # elsewhere the browser itself has kept it
                yield gr.skip(), self._composer(talk.companion, veiled=talk.veiled, restore=text), gr.skip()
            return
        finally:
            for upload in uploads:
                upload.unlink(missing_ok=True)  # the companion has its own copy, or wants none off the record
        yield from self._follow(talk, turn)

    def regenerate(
        self, persona: str, depth: int, veiled: bool, event: gr.EventData, request: gr.Request
    ) -> Iterator[Update]:
        """Answer the last message anew; with the built-in mind, where that is asked for."""
        talk = self._talk(persona, depth, veiled, event, request)
        turn = talk.companion.regenerate(built_in=getattr(event, "by", "") == "builtin")
        yield from self._follow(talk, turn)

    def edit_last(
        self, persona: str, depth: int, veiled: bool, event: gr.EventData, request: gr.Request
    ) -> Iterator[Update]:
        """Replace the last message and answer it."""
        talk = self._talk(persona, depth, veiled, event, request)
        yield from self._follow(talk, talk.companion.edit_last(str(event.text)))

    def delete_last(self, persona: str, depth: int, veiled: bool, event: gr.EventData, request: gr.Request) -> Update:
        """Take back the last message and its answer."""
        talk = self._talk(persona, depth, veiled, event, request)
        talk.companion.delete_last()
        return self._shown(talk)

    def stop(self, persona: str, event: gr.EventData, request: gr.Request) -> None:
        """Stop the reply under way."""
        if turn := self._talk(persona, 0, False, event, request).companion.turn:
            turn.stop()

    def veil(self, persona: str, depth: int, event: gr.EventData, request: gr.Request) -> tuple[Any, ...]:
        """Go off the record, or come back and let go of what was said there."""
        talk = self._talk(persona, depth, bool(event.off_record), event, request)
        if not talk.veiled:
            talk.companion.forget_off_record()
        return talk.veiled, *self._shown(talk)

    def begin_topic(self, persona: str, depth: int, veiled: bool, event: gr.EventData, request: gr.Request) -> Update:
        """Begin a new topic."""
        talk = self._talk(persona, depth, veiled, event, request)
        talk.companion.new_topic()
        return self._shown(talk, jump=True)

    def show_older(
        self, persona: str, depth: int, veiled: bool, event: gr.EventData, request: gr.Request
    ) -> tuple[Any, ...]:
        """Show more of what was said before."""
        depth += PAGE_OF_MESSAGES
        return depth, *self._shown(self._talk(persona, depth, veiled, event, request))

    def refuse_file(self, event: gr.EventData) -> None:
        """Say that a file could not be taken."""
        raise AttachmentUnreadableError(name=str(event.name))

    def _talk(self, persona: str, depth: int, veiled: bool, event: gr.EventData, request: gr.Request) -> Talk:
        name = str(getattr(event, "persona", "") or persona)
        return Talk(self._services.companion(name), depth, veiled, self._windows.shows(request.session_hash, name))

    def _follow(self, talk: Talk, turn: Turn) -> Iterator[Update]:
        """Show a turn while it lasts, then the conversation as it is on disk."""
        live = Live()
        if not talk.is_shown():
            return  # it goes on, and is there when one comes back
        before = self._drawn(talk, live=live, jump=True)
        yield before
        updated = time.monotonic()
        for event in turn.events():
            if not talk.is_shown():
                return
            live = _grow(live, event)
            if isinstance(event, Received):  # from here on only the reply grows: the log is not read again
                before = self._drawn(talk, live=live, jump=True)
                yield before
            elif not isinstance(event, Noticed) and time.monotonic() - updated >= _SECONDS_BETWEEN_UPDATES:
                yield self._with_reply(before[0], talk.companion, live), *before[1:]
                updated = time.monotonic()
        yield self._shown(talk, seen=live)

    def _with_reply(self, before: dict[str, Any], companion: Companion, live: Live) -> dict[str, Any]:
        """Return the transcript with the reply as far as it has come."""
        face = face_of(self._services, companion.memories.paths.name)
        reply = _row(presenters.live_reply(live, face, self._t))
        return {**before, "items": [*before["items"][:-1], reply], "jump": False}

    def _shown(self, talk: Talk, *, seen: Live | None = None, jump: bool = False) -> Update:
        return self._drawn(talk, seen=seen, jump=jump) if talk.is_shown() else (gr.skip(), gr.skip(), gr.skip())

    def _drawn(self, talk: Talk, *, live: Live | None = None, seen: Live | None = None, jump: bool = False) -> Update:
        companion = talk.companion
        value = self._transcript(companion, talk.depth, veiled=talk.veiled, live=live)
        if seen and seen.thinking and value["items"]:  # only who has seen it being thought goes on seeing it
            last = value["items"].pop()
            value["items"] += [_row(presenters.reasoning_item(last["id"], seen.thinking, self._t)), last]
        value["jump"] = jump
        composer = self._composer(companion, veiled=value["off_record"], busy=live is not None)
        return value, composer, gr.skip() if live else self._notices(companion)

    def _notices(self, companion: Companion) -> str:
        found = [*self._services.notices.all, *companion.memories.gather_notices()]
        return presenters.notices(found, self._t, mending.ways(self._t))

    def _transcript(self, companion: Companion, depth: int, *, veiled: bool, live: Live | None) -> dict[str, Any]:
        log, t = companion.memories.log, self._t
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
        veiled = veiled or bool(unwritten)
        if veiled:
            items.append(presenters.off_record_banner(t))
            items += presenters.transcript(unwritten, face, today, t, off_record=True)
        if live:
            items.append(presenters.live_reply(live, face, t))
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

    def _composer(self, companion: Companion, *, veiled: bool, busy: bool = False, restore: str = "") -> dict[str, Any]:
        name = companion.memories.paths.name
        key = "chat.placeholder_off_record" if veiled else "chat.placeholder"
        value: dict[str, Any] = {
            "persona": name,
            "placeholder": self._t(key, name=name),
            "busy": busy,
            "off_record": veiled,
        }
        if restore:
            value["restore"] = {"text": restore, "count": time.monotonic_ns()}
        return value


def revision_of(companion: Companion) -> str:
    """Return a cheap token that changes whenever the page would show something else."""
    turn = companion.turn
    memories = companion.memories
    parts = (memories.log.revision(), len(companion.off_record), id(turn) if turn else 0, memories.recall.making)
    return "/".join(map(str, parts))


def _grow(live: Live, event: TurnEvent) -> Live:  # noqa: PLR0911  # one return per event reads best
    """Return what is shown of a turn after one more event."""
    match event:
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
        case Replied():
            return replace(live, over=True)
        case _:
            return live


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
    """Leave out what the live part shows itself: announcements of this turn, and the finished reply."""
    if live is None:
        return messages
    for position in range(len(messages) - 1, -1, -1):
        if messages[position].role == "user":
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
