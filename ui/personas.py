"""The persona room: who the persona is, how it knows the user; making, copying, deleting, restoring."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace
from html import escape
from typing import Any

import gradio as gr

from agent.services import Services
from managers.personas import Persona, Trashed
from managers.storage.errors import ExternallyChangedError, UtataneError
from ui import presenters
from ui.edge import IN_TURN, at_edge, say_done, say_error
from ui.faces import face_of
from ui.locales import LANGUAGES, Texts
from ui.mending import create_mending
from ui.sidebar import OWN_NAMES
from ui.sight import PERSONA, Sight, create_sight, is_here, told_in
from ui.times import when

EDITOR = "persona-editor"


@dataclass(frozen=True, slots=True)
class PersonaRoom:
    """The components of the room."""

    name: gr.Textbox
    language: gr.Radio
    greeting: gr.Textbox
    user_name: gr.Textbox
    user_profile: gr.Textbox
    prompt: gr.Textbox

    @property
    def fields(self) -> list[Any]:
        return [self.name, self.language, self.greeting, self.user_name, self.user_profile, self.prompt]


@dataclass(frozen=True, slots=True)
class Form:
    """What the fields hold, in their order."""

    name: str
    language: str
    greeting: str
    user_name: str
    user_profile: str
    prompt: str


def create_persona_room(services: Services, t: Texts, current: gr.State, touched: gr.State, tab: gr.Tab) -> PersonaRoom:
    """Build the room; `touched` is counted up when faces or names have changed."""
    sight, own = create_sight(), gr.State(dict[str, str | None]())
    handlers, edge = PersonaHandlers(services, t), at_edge(t)
    with gr.Column(elem_classes="room"):
        create_mending(services, t, current, touched, tab)
        face = gr.HTML(elem_id="persona-face", apply_default_css=False)
        picture = gr.UploadButton(
            t("persona.picture"), file_types=["image"], type="binary", size="sm", elem_id="persona-picture"
        )
        with gr.Column(elem_id=EDITOR, elem_classes=["editor", "form"]):
            room = _fields(t)
        with gr.Row(elem_classes="buttons"):
            save = gr.Button(t("persona.save"), variant="primary", elem_id="persona-save")
            state = gr.HTML(js_on_load=f"utatane.editorState(element, '{EDITOR}', watch)", apply_default_css=False)
        more = gr.HTML(
            elem_id="persona-more",
            js_on_load="utatane.clicks(element, trigger) // 'select'",
            elem_classes="guarded",
            apply_default_css=False,
        )
        _create_new(services, t, current, touched)
        trash = gr.HTML(
            elem_id="persona-trash", js_on_load="utatane.clicks(element, trigger) // 'select'", apply_default_css=False
        )
    shown = [sight, *room.fields, face, more, trash, state]
    seen = [current, touched, sight]
    tab.select(edge(handlers.open), [current], shown, **IN_TURN)
    touched.change(edge(handlers.look_again), [current, sight, *room.fields], shown, **IN_TURN)
    save.click(edge(handlers.save), [*seen, own, *room.fields], [current, touched, sight, state], **IN_TURN)
    picture.upload(edge(handlers.set_picture), [*seen, picture], [touched], **IN_TURN)
    more.select(edge(handlers.act), seen, [current, touched], **IN_TURN)
    trash.select(edge(handlers.restore), [current, touched], [current, touched], **IN_TURN)
    return room


def _fields(t: Texts) -> PersonaRoom:
    with gr.Row():
        name = gr.Textbox(value="", label=t("persona.name"), elem_id="persona-name", max_length=60)
        language = gr.Radio(
            [(OWN_NAMES[lang], lang) for lang in LANGUAGES], label=t("persona.language"), elem_classes="choices"
        )
    greeting = gr.Textbox(value="", label=t("persona.greeting"), info=t("persona.greeting_info"), lines=2, max_lines=8)
    with gr.Row():
        user_name = gr.Textbox(value="", label=t("persona.user_name"), info=t("persona.user_name_info"))
        user_profile = gr.Textbox(
            value="", label=t("persona.user_profile"), info=t("persona.user_profile_info"), lines=2, max_lines=8
        )
    prompt = gr.Textbox(
        value="",
        label=t("persona.prompt"),
        info=t("persona.prompt_info"),
        lines=10,
        max_lines=24,
        elem_id="persona-prompt",
    )
    return PersonaRoom(name, language, greeting, user_name, user_profile, prompt)


def _create_new(services: Services, t: Texts, current: gr.State, touched: gr.State) -> None:
    with gr.Accordion(t("persona.new_title"), open=False, elem_id="persona-new"):
        gr.HTML(f"<p>{escape(t('persona.new_intro'))}</p>", elem_classes="intro")
        with gr.Row():
            name = gr.Textbox(value="", label=t("persona.name"), elem_id="new-persona-name", max_length=60)
            language = gr.Radio(
                [(OWN_NAMES[lang], lang) for lang in LANGUAGES],
                value=t.lang,
                label=t("persona.language"),
                elem_classes="choices",
            )
        prompt = gr.Textbox(value="", label=t("persona.prompt"), info=t("persona.prompt_info"), lines=4, max_lines=16)
        greeting = gr.Textbox(
            value="", label=t("persona.greeting"), info=t("persona.greeting_info"), lines=2, max_lines=8
        )
        create = gr.Button(t("persona.create"), variant="primary", elem_id="new-persona-create")

    def make(name: str, language: str, prompt: str, greeting: str, touched: int) -> tuple[Any, ...]:
        persona = services.personas.create(
            name, language="ja" if language == "ja" else "en", system_prompt=prompt, greeting=greeting
        )
        say_done(t("persona.created", name=persona.name), t)
        return persona.name, touched + 1, "", "", ""

    create.click(
        at_edge(t)(make),
        [name, language, prompt, greeting, touched],
        [current, touched, name, prompt, greeting],
        **IN_TURN,
    )


class PersonaHandlers:
    """The room's handlers.

    The sight tells whose fields are shown, and what they held when they were; `own` which prompts this window wrote last.
    """

    def __init__(self, services: Services, t: Texts) -> None:
        """Take the services and the page's language."""
        self._services = services
        self._t = t

    def open(self, name: str) -> tuple[Any, ...]:
        """Show the persona as it stands in its folder."""
        trash = _trash(self._services.personas.trashed(), self._services, self._t)
        if not name:
            return ({}, *["" for _ in range(8)], trash, "")
        persona = self._services.personas.get(name)
        face = presenters.portrait_of(face_of(self._services, name))
        values = _values(persona)
        return (
            _sight(name, persona.system_prompt_digest, values),
            *values,
            face,
            _more(persona, self._t),
            trash,
            _state(""),
        )

    def look_again(self, name: str, sight: Sight, *fields: str) -> tuple[Any, ...]:
        """Show what has changed of the persona; words that are not saved yet stay in their fields."""
        found, *shown = self.open(name)
        if sight.get(PERSONA) != name:
            return found, *shown
        before, now = sight["fields"], found["fields"]
        written = [field != value for field, value in zip(fields, before, strict=True)]
        based_on = sight["digest"] if written[-1] else found["digest"]  # the last field is the prompt's
        kept = [value if mine else new for value, new, mine in zip(before, now, written, strict=True)]
        values = [
            gr.skip() if mine or value == new else new for value, new, mine in zip(before, now, written, strict=True)
        ]
        return _sight(name, based_on, kept), *values, *shown[len(values) : -1], gr.skip()

    def save(
        self, current: str, touched: int, sight: Sight, own: dict[str, str | None], *fields: str
    ) -> tuple[Any, ...]:
        """Write what was changed, and nothing else; each change has its own entry in the history."""
        personas, form = self._services.personas, Form(*fields)
        name, before, based_on = told_in(current, sight), Form(*sight["fields"]), sight["digest"]
        is_shown = is_here(name, current)
        if name in own and personas.get(name).system_prompt_digest == own[name]:
            based_on = own[name]
        try:
            if form.prompt != before.prompt:
                written = personas.write_system_prompt(name, form.prompt, based_on=based_on, emptied=True)
                based_on = own[name] = written.system_prompt_digest
        except ExternallyChangedError as error:
            # Both are to be seen; whoever saves again means it.
            theirs = personas.get(name).system_prompt_digest
            changed = _changed(str(error.facts["theirs"]), self._t)
            return current, touched, _sight(name, theirs, sight["fields"]) if is_shown else gr.skip(), changed
        if form.greeting != before.greeting:
            personas.set_greeting(name, form.greeting)
        if form.language != before.language:
            personas.set_language(name, "ja" if form.language == "ja" else "en")
        if (form.user_name, form.user_profile) != (before.user_name, before.user_profile):
            personas.set_user(name, user_name=form.user_name, profile=form.user_profile)
        saved, state = replace(form, name=before.name), self._saved()
        try:
            if form.name.strip() != before.name:
                with self._services.away(name):
                    name = personas.rename(name, form.name).name
            saved = form
        except UtataneError as error:  # the rest is saved; the name is still to be found
            say_error(error, self._t)
            state = _state("", unsaved=True)
        if not is_shown:
            return current, touched + 1, gr.skip(), gr.skip()
        return name, touched + 1, _sight(name, based_on, astuple(saved)), state

    def _saved(self) -> str:
        at = self._services.clock.now().isoformat()
        return f'<p class="state" data-saved="{at}" role="status">{escape(self._t("notes.saved"))}</p>'

    def set_picture(self, current: str, touched: int, sight: Sight, data: bytes) -> int:
        """Take an uploaded picture as the persona's face."""
        self._services.personas.set_avatar(told_in(current, sight), data)
        return touched + 1

    def act(self, current: str, touched: int, sight: Sight, event: gr.EventData) -> tuple[str, int]:
        """Duplicate or delete the persona."""
        personas, t, name = self._services.personas, self._t, told_in(current, sight)
        if event.action == "duplicate":
            copy = personas.duplicate(name, personas.free_name(name))
            say_done(t("persona.duplicated", name=copy.name), t)
            return copy.name, touched + 1
        with self._services.away(name):
            personas.delete(name)
        say_done(t("persona.deleted", name=name), t)
        if not is_here(name, current):
            return current, touched + 1
        names = personas.list_names()
        return names[0] if names else "", touched + 1

    def restore(self, current: str, touched: int, event: gr.EventData) -> tuple[str, int]:
        """Bring a persona back from the trash, under a free name."""
        personas, t = self._services.personas, self._t
        back = personas.restore(str(event.entry), personas.free_name(str(event.name)))
        say_done(t("persona.restored", name=back.name), t)
        return current or back.name, touched + 1


def _sight(name: str, digest: str | None, values: Sequence[str]) -> Sight:
    return {PERSONA: name, "digest": digest, "fields": list(values)}


def _values(persona: Persona) -> tuple[str, ...]:
    return (
        persona.name,
        persona.language,
        persona.greeting,
        persona.user_name,
        persona.user_profile,
        persona.system_prompt,
    )


def _more(persona: Persona, t: Texts) -> str:
    ask = escape(t("persona.delete_ask", name=persona.name))
    return (
        f'<div class="more"><button type="button" class="small" data-action="duplicate">'
        f"{escape(t('persona.duplicate'))}</button>"
        f'<button type="button" class="small danger" data-action="delete" data-ask="{ask}" '
        f'data-yes="{escape(t("persona.delete"))}">{escape(t("persona.delete"))}</button></div>'
    )


def _trash(trashed: Sequence[Trashed], services: Services, t: Texts) -> str:
    if not trashed:
        return ""
    now = services.clock.now()
    rows = "".join(
        f"<li><span>{escape(item.name)}</span><time>{escape(when(item.deleted_at, now, t))}</time>"
        f'<button type="button" class="small" data-action="restore" data-entry="{escape(item.id)}" '
        f'data-name="{escape(item.name)}">{escape(t("persona.restore"))}</button></li>'
        for item in trashed
    )
    return f'<h3>{escape(t("persona.trash"))}</h3><ul class="trash">{rows}</ul>'


def _changed(theirs: str, t: Texts) -> str:
    """Return that the prompt was changed elsewhere, what it says there now, and what can be done."""
    return (
        f'<div class="conflict" data-unsaved role="alert"><h3>{escape(t("notes.conflict_title"))}</h3>'
        f"<p>{escape(t('persona.prompt_changed'))}</p><details open><summary>{escape(t('notes.theirs'))}</summary>"
        f'<pre tabindex="0">{escape(theirs)}</pre></details></div>'
    )


def _state(sentence: str, *, unsaved: bool = False) -> str:
    return f'<p class="state"{" data-unsaved" if unsaved else ""} role="status">{escape(sentence)}</p>'
