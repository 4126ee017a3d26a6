"""The memories room: shelves to search, browse, edit, pin, forget and bring back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from html import escape
from typing import Any

import gradio as gr

from agent.errors import MemoryGoneError
from agent.forgetting import remember_again
from agent.memories import Memories
from agent.services import Services
from managers.memory.documents import USER
from managers.memory.goals import Status
from managers.storage.errors import UtataneError
from managers.storage.paths import safe_name
from ui import diaries, entities, episodes, forgotten, network, reflections, search
from ui import map as memory_map
from ui.edge import IN_TURN, QUIET, at_edge, say_done, say_error
from ui.locales import Texts
from ui.shelves import Conflict, Place, Shelf, View, answer_to, button
from ui.sight import is_here, mark, told_in
from ui.taking_back import STEPS, take_back

SHELVES: Mapping[str, Shelf] = {
    "search": search.SHELF,
    "map": memory_map.SHELF,
    "network": network.SHELF,
    "entities": entities.SHELF,
    "episodes": episodes.SHELF,
    "insights": reflections.INSIGHTS,
    "goals": reflections.GOALS,
    "questions": reflections.QUESTIONS,
    "main_memory": diaries.SHELF,
    "secret_diary": diaries.SHELF,
    "forgotten": forgotten.SHELF,
}
LEADING = frozenset({"search", "map", "network"})
"""From these one opens memories that stand on other shelves."""
_SCRIPT = "utataneShelves(element, trigger, watch) // 'select'"


@dataclass(frozen=True, slots=True)
class MemoriesRoom:
    """The components of the room."""

    shelf: gr.HTML


def create_memories_room(services: Services, t: Texts, current: gr.State, tab: gr.Tab) -> MemoriesRoom:
    """Build the room inside `tab`; it is filled whenever one enters it."""
    place = gr.State(Place())
    with gr.Column(elem_classes="room"):
        gr.HTML(f"<h2>{escape(t('memories.title'))}</h2><p>{escape(t('memories.intro'))}</p>", elem_classes="intro")
        shelf = gr.HTML(elem_id="memories", js_on_load=_SCRIPT, apply_default_css=False)
    handlers, edge = MemoryHandlers(services, t), at_edge(t)
    tab.select(edge(handlers.enter), [current, place], [place, shelf], **IN_TURN)
    current.change(edge(handlers.follow), [current, place], [place, shelf], **QUIET)
    shelf.select(edge(handlers.act), [current, place], [place, shelf], **IN_TURN)
    return MemoriesRoom(shelf)


class MemoryHandlers:
    """The room's handlers: each does one thing to a memory, and shows where one is then."""

    def __init__(self, services: Services, t: Texts) -> None:
        """Take the services and the page's language."""
        self._services = services
        self._t = t
        self._deeds: Mapping[str, Callable[[Memories, Place, Mapping[str, Any]], Place | Conflict | str]] = {
            "go": _go,
            "page": lambda _, place, told: replace(place, page=max(int(told.get("page", 0)), 0)),
            "search": _search,
            "edit": lambda _, place, told: replace(place, item=str(told["item"]), editing=True),
            "uncover": lambda _, place, __: replace(place, uncovered=True),
            "new_entity": self._new_entity,
            "save": self._save,
            "forget": self._forget,
            "pin": lambda memories, place, told: self._pin(memories, place, told, on=True),
            "unpin": lambda memories, place, told: self._pin(memories, place, told, on=False),
            "restore": self._restore,
            "remember": self._remember,
            "resolve": self._resolve,
            "end_goal": self._end_goal,
            **dict.fromkeys(STEPS, self._take_back),
        }

    def enter(self, persona: str, place: Place) -> tuple[Place, str]:
        """Show the room as one left it; the secret diary is covered again."""
        if place.persona not in {"", persona}:
            place = Place()
        place = replace(place, uncovered=False, editing=False, persona=persona)
        return place, self._shown(persona, place)

    def follow(self, persona: str, place: Place) -> tuple[Any, Any]:
        """Leave the shelves of the persona that one talked to before, unless the room was entered anew already."""
        return (gr.skip(), gr.skip()) if place.persona == persona else (Place(), "")

    def act(self, persona: str, place: Place, event: gr.EventData) -> tuple[Place, str]:
        """Do what was asked for on the page, to the memories that it showed."""
        told, name = event.told, told_in(persona, event.told)
        before = place if place.persona in {"", name} else Place(persona=name)
        if (shelf := str(told.get("seen", ""))) in SHELVES and shelf != before.shelf:
            before = Place(shelf=shelf)
        try:
            after, html = self.do(name, before, told)
        except UtataneError as error:  # said here, so that what is asked next need not wait for an answer
            say_error(error, self._t)
            after, html = before, self._shown(name, before)
        if not is_here(name, persona):
            after = place if place.persona == persona else Place()
            html = self._shown(persona, after)
        return replace(after, persona=persona or name), html + answer_to(told)

    def do(self, persona: str, place: Place, told: Mapping[str, Any]) -> tuple[Place, str]:
        """Do one thing, and return where one is then and what is there."""
        memories = self._services.companion(persona).memories
        deed = self._deeds.get(str(told.get("action", "")))
        if deed is None:
            return place, self._shown(persona, place)
        outcome = deed(memories, place, told)
        if isinstance(outcome, Conflict):
            return place, self._shown(persona, place, outcome)
        if isinstance(outcome, str):
            return place, outcome + self._shown(persona, place)
        return outcome, self._shown(persona, outcome)

    def _shown(self, persona: str, place: Place, conflict: Conflict | None = None) -> str:
        if not persona:
            return ""
        memories = self._services.companion(persona).memories
        view = View(memories, place, self._services.clock.now(), self._t, conflict)
        return (
            f'{_shelves(place, self._t)}<section class="shelf" data-place="{escape(f"{place.shelf}/{place.item}/{place.page}")}" '
            f'aria-label="{escape(self._t(f"memories.{place.shelf}"))}">{SHELVES[place.shelf].show(view)}</section>'
            f"{mark(persona, place.shelf)}"
        )

    def _save(self, memories: Memories, place: Place, told: Mapping[str, Any]) -> Place | Conflict:
        item, save = str(told["item"]), SHELVES[place.shelf].save
        if save is None:
            return place
        conflict = save(memories, item, told)
        if conflict is not None:
            return conflict
        say_done(self._t("notes.saved"), self._t)
        # A diary is its whole shelf.
        return self._remembered(memories, replace(place, item="" if item == place.shelf else item, editing=False))

    def _new_entity(self, memories: Memories, place: Place, told: Mapping[str, Any]) -> Place:
        name = safe_name(str(told.get("name", "")))
        known = memories.entities.find(name)
        return replace(place, item=known.name if known else name, editing=known is None)

    def _forget(self, memories: Memories, place: Place, told: Mapping[str, Any]) -> Place:
        item, shelf = str(told["item"]), SHELVES[place.shelf]
        if shelf.forget is None:
            return place
        shelf.forget(memories, item)
        say_done(self._t("memories.was_forgotten"), self._t)
        return self._remembered(memories, replace(place, item=shelf.left_at(item), editing=False))

    def _pin(self, memories: Memories, place: Place, told: Mapping[str, Any], *, on: bool) -> Place:
        if (pin := SHELVES[place.shelf].pin) is not None:
            pin(memories, str(told["item"]), on=on)
        return place

    def _restore(self, memories: Memories, place: Place, told: Mapping[str, Any]) -> Place | str:
        if in_the_way := take_back(memories, {**told, "action": "undo"}, self._t):
            return in_the_way
        say_done(self._t("memories.was_restored"), self._t)
        return place

    def _remember(self, memories: Memories, place: Place, told: Mapping[str, Any]) -> Place:
        remember_again(memories, str(told["item"]))
        say_done(self._t("memories.was_restored"), self._t)
        return self._remembered(memories, place)

    def _resolve(self, memories: Memories, place: Place, told: Mapping[str, Any]) -> Place:
        memories.questions.resolve(str(told["item"]), author=USER, reason="resolved")
        return place

    def _end_goal(self, memories: Memories, place: Place, told: Mapping[str, Any]) -> Place:
        found = memories.goals.load().get(str(told["item"]))
        if found is None:
            raise MemoryGoneError(name=told["item"])
        status: Status = "completed" if told.get("status") == "completed" else "abandoned"
        memories.goals.end(found[1].id, status, author=USER, reason=status)
        return place

    def _take_back(self, memories: Memories, place: Place, told: Mapping[str, Any]) -> Place | str:
        return take_back(memories, told, self._t) or place

    def _remembered(self, memories: Memories, place: Place) -> Place:
        """Let the search know at once."""
        memories.recall.catch_up()
        return place


def _go(_: Memories, place: Place, told: Mapping[str, Any]) -> Place:
    shelf = str(told.get("shelf", place.shelf))
    if shelf not in SHELVES:
        return place
    item, page = str(told.get("item", "")), int(told.get("page", 0))
    if shelf != place.shelf:
        whence = place if place.shelf in LEADING and (item or place.query) else place.whence
        if whence is not None and whence.shelf == shelf:
            return replace(whence, whence=None)
        return Place(shelf=shelf, item=item, whence=whence)
    return replace(place, item=item, page=max(page, 0), editing=False)


def _search(_: Memories, place: Place, told: Mapping[str, Any]) -> Place:
    kinds = told.get("kinds") or ()
    chosen = tuple(kinds) if isinstance(kinds, list | tuple) else (str(kinds),)
    return Place(
        shelf=place.shelf,
        query=str(told.get("query", ""))[:400],
        kinds=tuple(str(kind) for kind in chosen),
        since=str(told.get("since", "")),
        until=str(told.get("until", "")),
        whence=None if place.shelf in LEADING else place.whence,
    )


def _shelves(place: Place, t: Texts) -> str:
    def shelf(name: str) -> str:
        here = ' aria-current="page"' if name == place.shelf else ""
        return (
            f'<button type="button" data-action="go" data-shelf="{name}"{here}>{escape(t(f"memories.{name}"))}</button>'
        )

    notes = button(t("memories.notes"), "room", style="elsewhere", room="notes")
    return (
        f'<nav class="shelves" aria-label="{escape(t("memories.shelves"))}">{"".join(map(shelf, SHELVES))}{notes}</nav>'
    )
