"""The exports of a persona: all forms in one menu, made while the page goes on, saved when they are there."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final
from urllib.parse import quote

from fastapi import APIRouter, Depends, Form, HTTPException
from fastapi.responses import FileResponse, Response

from agent.brief import FEWEST_TOKENS, MOST_TOKENS
from agent.exporting import BRIEF_TOKENS, CHATS, FORMS, ExportWishes, kept_messages
from agent.exporting import Form as ExportForm
from managers.exchange.errors import PassphrasesDifferError
from managers.exchange.exports.chat import ChatDays
from managers.memory.confidence import day_of
from managers.storage.errors import UtataneError
from ui.components.markdown import render_markdown
from ui.server.once import new_number
from ui.server.uploads import WithUploads
from ui.server.visit import FormText, PersonaVisit, With

router = APIRouter(prefix="/p/{persona}/exports", route_class=WithUploads)
_PRIVATE: Final = {"cache-control": "no-store", "x-content-type-options": "nosniff"}


@dataclass(frozen=True, slots=True)
class SentExport:
    """What the form holds."""

    form: Annotated[ExportForm, Form()] = "archive"
    since: FormText = ""
    until: FormText = ""
    tokens: Annotated[int, Form()] = BRIEF_TOKENS
    mask: FormText = ""
    without_forgotten: FormText = ""
    without_kept: FormText = ""
    passphrase: FormText = ""
    again: FormText = ""

    @property
    def days(self) -> ChatDays:
        return ChatDays(day_of(self.since), day_of(self.until))

    def wishes(self) -> ExportWishes:
        """Return what is asked for.

        Raises:
            PassphrasesDifferError: the passphrase was typed twice, and not the same.
            DaysReversedError: the last day comes before the first.
        """
        if self.passphrase != self.again:
            raise PassphrasesDifferError
        tokens = min(max(self.tokens, FEWEST_TOKENS), MOST_TOKENS)
        return ExportWishes(
            self.form,
            bool(self.mask),
            bool(self.without_forgotten),
            self.days,
            tokens,
            passphrase=self.passphrase or None,
            without_kept=bool(self.without_kept),
        )


@router.get("")
def show(visit: With) -> Response:
    """Show what a persona can be exported as, and what was made."""
    is_masked = visit.memories.settings().privacy.mask_exports
    return _page(visit, SentExport(mask="1" if is_masked else "", without_kept="1"))


@router.post("")
def begin(visit: With, sent: Annotated[SentExport, Depends()], number: FormText = "") -> Response:
    """Begin to make one."""
    jobs = visit.services.exports
    try:
        wishes = sent.wishes()
        visit.once.make("export", number, lambda: jobs.begin(visit.memories, wishes, render_markdown).id)
    except UtataneError as error:
        return _page(visit, sent, error)
    return visit.lead(visit.at("exports") + "#made")


@router.post("/home")
def come_home(visit: With, text: FormText = "", where: FormText = "") -> Response:
    """Look at a talk that was led elsewhere; it comes in after a yes, on the page of imports."""
    name = f"{where.strip() or visit.t('exports.outing')} {visit.now:%Y-%m-%d}.txt"
    try:
        talk = (Path(name).name, lambda place: place.write_bytes(text.encode("utf-8", "replace")))
        visit.services.imports.look_at_upload([talk], "text", visit.name)
    except UtataneError as error:
        return visit.lead(visit.at("exports"), problem=error.sentence(visit.lang))
    return visit.lead("/import")


@router.get("/{job}/file")
def save(visit: With, job: str) -> Response:
    """Answer with the file; no browser shows it as a page."""
    found = visit.services.exports.get(visit.name, job)
    if found is None or found.state != "made":
        raise HTTPException(404)
    disposition = {"content-disposition": f"attachment; filename*=UTF-8''{quote(found.name, safe='')}"}
    return FileResponse(found.path, media_type="application/octet-stream", headers=disposition | _PRIVATE)


@router.post("/{job}/remove")
def remove(visit: With, job: str) -> Response:
    """Throw one away, or stop making it."""
    if visit.services.exports.get(visit.name, job) is None:
        raise HTTPException(404)
    visit.services.exports.remove(visit.name, job)
    return visit.lead(visit.at("exports") + "#made")


def _page(visit: PersonaVisit, sent: SentExport, problem: UtataneError | None = None) -> Response:
    return visit.show(
        "rooms/exports/exports.html",
        status=400 if problem else 200,
        problem=problem,
        kept=kept_messages(visit.memories),
        sent=sent,
        forms=FORMS,
        chats=CHATS,
        fewest=FEWEST_TOKENS,
        most=MOST_TOKENS,
        new_number=new_number,
        jobs=visit.services.exports.of(visit.name, visit.now),
    )
