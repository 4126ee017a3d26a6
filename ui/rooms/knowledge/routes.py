"""The knowledge room: the documents that a persona looks things up in."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Final

from fastapi import APIRouter, File, UploadFile
from fastapi.responses import Response

from managers.recall.documents.document_loader import DOCUMENTS, MAX_BYTES
from managers.recall.errors import DocumentTooLargeError
from managers.storage.errors import UtataneError
from ui.locales import Texts
from ui.rooms.memories.trust import given
from ui.server.uploads import WithUploads, kept_uploads
from ui.server.visit import PersonaVisit, With

router = APIRouter(prefix="/p/{persona}/knowledge", route_class=WithUploads)
_KILOBYTE: Final = 1000
_MEGABYTE: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a file that was sent."""

    name: str
    sentence: str
    is_wrong: bool = False


@router.get("")
def show(visit: With) -> Response:
    """Show the documents, and those in the trash."""
    return _page(visit)


@router.post("")
def add(visit: With, files: Annotated[list[UploadFile] | None, File()] = None) -> Response:
    """Take documents in, and say of each what became of it."""
    outcomes = [_take(visit, file) for file in files or [] if file.filename]
    return _page(visit, outcomes)


@router.get("/{document}")
def preview(visit: With, document: str) -> Response:
    """Show the beginning of a document as it is read, or why it cannot be."""
    memories = visit.memories
    why = memories.recall.unread_documents().get(document)
    text = "" if why else memories.knowledge.preview(document)
    return visit.part("rooms/knowledge/preview.html", name=document, why=why, text=text)


@router.post("/{document}/remove")
def remove(visit: With, document: str) -> Response:
    """Put a document into the trash."""
    memories = visit.memories
    memories.knowledge.remove(document)
    memories.recall.keep_up()
    return visit.lead(
        visit.at("knowledge"), visit.t("knowledge.removed", name=document), way=f"{visit.at('knowledge')}#trash"
    )


@router.post("/{document}/restore")
def restore(visit: With, document: str) -> Response:
    """Bring a document back from the trash."""
    memories = visit.memories
    name = memories.knowledge.restore(document).name
    if name != document and memories.audiences.kept().holds_file(f"knowledge/{document}"):
        memories.audiences.mark(f"knowledge/{name}", "this-computer")
    memories.recall.keep_up()
    return visit.lead(visit.at("knowledge"), visit.t("knowledge.restored", name=name))


def _take(visit: PersonaVisit, file: UploadFile) -> Outcome:
    memories, sent = visit.memories, str(file.filename)
    try:
        with kept_uploads(visit.services.home, [file]) as [path]:
            name = memories.knowledge.add(path).name
        memories.recall.keep_up()
    except UtataneError as error:
        return Outcome(sent, error.sentence(visit.lang), is_wrong=True)
    return Outcome(sent, visit.t("knowledge.added", name=name))


def _page(visit: PersonaVisit, outcomes: Sequence[Outcome] = ()) -> Response:
    memories = visit.memories
    return visit.show(
        "rooms/knowledge/knowledge.html",
        documents=memories.knowledge.list(),
        given=lambda path: given(visit, [], path),
        unread=memories.recall.unread_documents(),
        size=size,
        removed=memories.knowledge.removed(),
        outcomes=outcomes,
        accepted=",".join(DOCUMENTS),
        largest=MAX_BYTES,
        megabytes=MAX_BYTES // _MEGABYTE,
        too_large=DocumentTooLargeError(name="{name}", megabytes=MAX_BYTES // _MEGABYTE).sentence(visit.lang),
    )


def size(count: int, t: Texts) -> str:
    """Return a file's size as people say it."""
    if count >= _MEGABYTE:
        return t("knowledge.megabytes", count=f"{count / _MEGABYTE:.1f}")
    return t("knowledge.kilobytes", count=max(1, round(count / _KILOBYTE)))
