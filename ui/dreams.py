"""The room "Dreams": the diary night by night, the way back from each, and a dream now for who cannot wait."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

import gradio as gr

from agent.memories import Memories
from agent.services import Services
from managers.memory.dream_state import DreamStateFile
from managers.sleep.diary import DreamDiary
from managers.storage.errors import UtataneError
from ui import dreams_view
from ui.dreams_view import Sleeping
from ui.edge import IN_TURN, QUIET, at_edge, say_done, say_error
from ui.locales import Texts
from ui.sight import create_sight, meant, showing, while_shown
from ui.taking_back import STEPS, done_key, take_back
from ui.turns import Turns

NIGHTS_ON_A_PAGE = 10
_WATCH_SECONDS = 1.0
_GLANCE_SECONDS = 30.0
"""How often one looks whether it dreamt by itself, or in another window, while the room is open."""
_CLICKS = "utatane.clicks(element, trigger) // 'select'"


@dataclass(frozen=True, slots=True)
class DreamsRoom:
    """The components of the room."""

    state: gr.HTML
    now: gr.Button
    cancel: gr.Button
    watch: gr.Timer
    conflict: gr.HTML
    diary: gr.HTML
    page: gr.State
    seen: gr.State

    @property
    def sleep(self) -> list[Any]:
        """What changes while it dreams."""
        return [self.state, self.now, self.cancel, self.watch, self.seen]

    @property
    def nights(self) -> list[Any]:
        """What changes with the diary."""
        return [self.conflict, self.diary, self.page]


def create_dreams_room(services: Services, t: Texts, current: gr.State, tab: gr.Tab) -> DreamsRoom:
    """Build the room inside `tab`; it is filled whenever one enters it."""
    with gr.Column(elem_classes="room dreams"):
        gr.HTML(f"<h2>{escape(t('dreams.title'))}</h2><p>{escape(t('dreams.intro'))}</p>", elem_classes="intro")
        with gr.Column(elem_classes="part sleep-part"):
            state = gr.HTML(elem_id="dream-state", apply_default_css=False)
            with gr.Row(elem_classes="buttons"):
                now = gr.Button(t("dreams.now"), variant="primary", elem_id="dream-now")
                cancel = gr.Button(t("dreams.cancel"), elem_id="dream-cancel", visible=False)
        conflict = gr.HTML(elem_id="dream-conflict", js_on_load=_CLICKS, apply_default_css=False)
        with gr.Column(elem_classes="part"):
            gr.HTML(f"<h3>{escape(t('dreams.diary'))}</h3>", elem_classes="intro")
            diary = gr.HTML(elem_id="dream-diary", js_on_load=_CLICKS, apply_default_css=False)
    watch = gr.Timer(_GLANCE_SECONDS, active=False)
    page, seen, sight = gr.State(0), gr.State(""), create_sight()
    room = DreamsRoom(state, now, cancel, watch, conflict, diary, page, seen)
    handlers, edge = DreamHandlers(services, t), at_edge(t)
    whole, who = [*room.sleep, *room.nights], [current, sight]
    tab.select(edge(showing(handlers.open)), [current], [*whole, sight], **IN_TURN)
    now.click(edge(meant(handlers.dream)), who, whole, **IN_TURN)
    cancel.click(edge(meant(handlers.cancel)), who, room.sleep, **IN_TURN)
    watch.tick(edge(while_shown(handlers.watch)), [*who, page, seen], whole, **QUIET)
    for chosen in (diary, conflict):
        chosen.select(edge(meant(handlers.follow)), [*who, page], room.nights, **IN_TURN)
    return room


class DreamHandlers:
    """The room's handlers."""

    def __init__(self, services: Services, t: Texts) -> None:
        """Take the services and the page's language."""
        self._services = services
        self._t = t
        self._turns = Turns()

    def open(self, persona: str) -> tuple[Any, ...]:
        """Show the room as it is now, the newest night first."""
        if not persona:
            return tuple(gr.skip() for _ in range(8))
        with self._turns.of(persona):
            return *self._sleep(persona), *self._nights(persona, 0)

    def dream(self, persona: str) -> tuple[Any, ...]:
        """Begin a dream; it goes on in a thread of its own while one talks."""
        self._services.sleep.dream_now(persona)
        return *self._sleep(persona), *(gr.skip() for _ in range(3))

    def cancel(self, persona: str) -> tuple[Any, ...]:
        """Break the dream off."""
        self._services.sleep.cancel(persona)
        return self._sleep(persona)

    def watch(self, persona: str, page: int, seen: str) -> tuple[Any, ...]:
        """See how far the dream has come; when it is over, show what it brought. Nothing moves while nothing does."""
        if not persona or (not self._is_dreaming(persona) and self._newest(persona) == seen):
            return tuple(gr.skip() for _ in range(8))
        if self._is_dreaming(persona):
            return *self._sleep(persona), *(gr.skip() for _ in range(3))
        with self._turns.of(persona):
            return *self._sleep(persona), *self._nights(persona, page)

    def follow(self, persona: str, page: int, event: gr.EventData) -> tuple[Any, ...]:
        """Turn the page, take a dream back or do it again: whatever was clicked. Then the room is as the files are."""
        action = str(event.action)
        with self._turns.of(persona):
            if action == "turn":
                return self._nights(persona, int(event.page))
            if action in STEPS:
                try:
                    in_the_way = take_back(self._memories(persona), {"action": action, "entry": event.entry}, self._t)
                except UtataneError as error:  # it may have failed after the files were written: they are shown
                    say_error(error, self._t)
                else:
                    if in_the_way:
                        return in_the_way, gr.skip(), gr.skip()
                    say_done(self._t(f"dreams.{done_key(action)}_done"), self._t)
            return self._nights(persona, page)

    def _sleep(self, persona: str) -> tuple[Any, ...]:
        memories = self._memories(persona)
        sleeper, status = self._services.sleeper(persona), self._services.sleep.status(persona)
        shown = Sleeping(
            status=status,
            dreams_by_itself=sleeper.settings().dreaming,
            waiting=[] if status.is_running else sleeper.pending_days(),
            meta=memories.goals.load().meta,
            last=DreamStateFile(memories.paths, self._services.clock).load().last_dream,
        )
        return (
            dreams_view.sleep_state(shown, self._services.clock.now(), self._t),
            gr.update(interactive=not status.is_running),
            gr.update(visible=status.is_running),
            gr.Timer(_WATCH_SECONDS if status.is_running else _GLANCE_SECONDS, active=True),
            "" if status.is_running else self._newest(persona),
        )

    def _is_dreaming(self, persona: str) -> bool:
        return self._services.sleep.status(persona).is_running

    def _newest(self, persona: str) -> str:
        """Return what differs as soon as it has dreamt, here or elsewhere."""
        memories, status = self._memories(persona), self._services.sleep.status(persona)
        last = DreamStateFile(memories.paths, self._services.clock).load().last_dream
        return f"{persona} {status.ended_at} {last}"

    def _nights(self, persona: str, page: int) -> tuple[Any, ...]:
        memories = self._memories(persona)
        diary = DreamDiary(memories.paths, memories.history, memories.insights, memories.log)
        found = diary.page(page, NIGHTS_ON_A_PAGE)
        return "", dreams_view.diary(found, persona, self._services.clock.now(), self._t), found.number

    def _memories(self, persona: str) -> Memories:
        return self._services.companion(persona).memories
