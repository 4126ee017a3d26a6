"""The shelf of the audit: what left this computer and to whom, and what was exported, erased, taken back or written by tools."""

from fastapi import APIRouter
from fastapi.responses import Response

from agent.minds.tool_schemas import in_words
from managers.storage.audit import Event, events, flawed_notice, flaws
from managers.storage.texts import entry, table
from managers.usage.ledger import PURPOSES
from ui.locales import Texts
from ui.rooms.memories.shelves import evidence_of, page_of, show
from ui.server.visit import With

PAGE = 30

router = APIRouter(prefix="/p/{persona}/memories/audit")


@router.get("")
def shelf(visit: With, page: int = 0) -> Response:
    """Show what happened, newest first; say so where the audit was changed by hand."""
    paths = visit.memories.paths
    found = flaws(paths)
    pages = page_of(visit, list(events(paths)), page, PAGE)
    evidence = evidence_of(visit, [event.given.ids for event in pages.items])
    changed = flawed_notice(found).sentence(visit.lang) if found else ""
    return show(
        visit,
        "memories/audit.html",
        "audit",
        pages=pages,
        rows=list(zip(pages.items, evidence, strict=True)),
        changed=changed,
        happened=happened,
        details=details,
    )


def happened(event: Event, t: Texts) -> str:
    """Return what an event is, and to whom something went."""
    name = f"audit.kind_{event.kind}"
    what = t(name) if name in t.keys else event.kind
    if event.to.is_here:
        return what
    to = " · ".join(dict.fromkeys(one for one in (event.to.service, event.to.model, event.to.host) if one))
    return t("audit.to", what=what, to=to)


def _called(name: str, event: Event, t: Texts) -> str:
    """Return what is counted, where its words stand elsewhere: a tool, a kind of memory that was imported."""
    if event.kind == "import" and name in table("notices/imports")["memories"]:
        return entry("notices/imports", f"memories.{name}")[t.lang]
    return in_words(name)[t.lang]


def details(event: Event, t: Texts) -> str:
    """Return what for, how much of what, and whether personal data was masked, in one line."""
    parts = [t(f"usage.purpose.{event.purpose}")] if event.purpose in PURPOSES else []
    for name, count in event.given.counts.items():
        key = f"erasing.kinds.{name}" if event.kind == "erasure" else f"audit.count_{name}"
        parts.append(
            t(key, count=count) if key in t.keys else t("audit.count", what=_called(name, event, t), count=count)
        )
    if event.given.is_masked is not None:
        parts.append(t("audit.masked" if event.given.is_masked else "audit.plain"))
    if event.missed:
        parts.append(t("audit.missed", count=event.missed))
    return t("audit.joint").join(parts)
