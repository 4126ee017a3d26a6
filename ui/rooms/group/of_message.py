"""What is done with one message of a conversation with several: for all who heard it."""

from typing import Final

from fastapi import APIRouter
from fastapi.responses import Response

from agent.group import deeds
from agent.group.conversation import GroupConversation
from managers.hygiene.errors import PlanChangedError
from managers.storage.errors import UtataneError
from managers.storage.files import digest
from ui.rooms.group.routes import address_in, room_of
from ui.rooms.memories.erasing import counted, shown_of, stays
from ui.server.visit import Beside, BesideVisit, FormText

_SHOWN: Final = 20
"""So many parts of what goes are shown for each persona: they are mostly the same."""

router = APIRouter(prefix="/group/{group}/messages/{message_id}")


@router.get("/deeds")
def show(visit: Beside, group: str, message_id: str) -> Response:
    """Show what can be done with a message; the script shows it beside the message itself."""
    talk = visit.services.groups.get(group)
    return visit.show("rooms/group/deeds.html", message=deeds.message_of(talk, message_id), room=room_of(visit, talk))


@router.get("/edit")
def edit_form(visit: Beside, group: str, message_id: str) -> Response:
    """Show the form that gives a message another text."""
    message = deeds.message_of(visit.services.groups.get(group), message_id)
    return visit.part("rooms/talk/edit.html", message=message, mine=message.text, **_form_facts(group, message_id))


@router.post("/edit")
def edit(visit: Beside, group: str, message_id: str, text: FormText = "", based_on: FormText = "") -> Response:
    """Give a message another text; where it was given one meanwhile, both are shown."""
    talk = visit.services.groups.get(group)
    now = deeds.message_of(talk, message_id)
    if based_on not in {"", digest(now.text)} and text != now.text:
        facts = _form_facts(group, message_id)
        return visit.show("rooms/talk/conflict.html", status=409, message=now, mine=text, **facts)
    deeds.edit(talk, message_id, text)
    return _back(visit, group, message_id)


@router.post("/delete")
def delete(visit: Beside, group: str, message_id: str) -> Response:
    """Take a message back; of the user's last one its answers go with it."""
    deeds.delete(visit.services.groups.get(group), message_id)
    return _back(visit, group, "", visit.t("chat.deleted"))


@router.post("/answer")
def answer(visit: Beside, group: str, message_id: str, name: str = "", by: FormText = "") -> Response:
    """Let the user's last message be answered by who could not; with the built-in mind, where that is asked for."""
    visit.services.groups.get(group).answer(message_id, name, built_in=by == "builtin")
    return _back(visit, group, "")


@router.get("/erase")
def look(visit: Beside, group: str, message_id: str) -> Response:
    """Show what erasing a message would take from each who heard it."""
    return _plans(visit, visit.services.groups.get(group), message_id)


@router.post("/erase")
def erase(visit: Beside, group: str, message_id: str, seen: FormText = "", yes: FormText = "") -> Response:
    """Erase what was shown, if somebody has said yes to it; where it has changed since, it is shown once more."""
    talk = visit.services.groups.get(group)
    if not yes or not seen:
        return _plans(visit, talk, message_id, is_unticked=True)
    try:
        reports = deeds.erase(talk, message_id, seen)
    except PlanChangedError as error:
        return _plans(visit, talk, message_id, error)
    told = [f"{name}: {visit.t('erasing.done', kinds=counted(one.counts, visit.t))}" for name, one in reports.items()]
    left = [f"{name}: {stays(one, visit.t)}" for name, report in reports.items() for one in report.left]
    return _back(visit, group, "", *told, *left, visit.t("erasing.outside"))


def _plans(
    visit: BesideVisit,
    talk: GroupConversation,
    message_id: str,
    problem: UtataneError | None = None,
    *,
    is_unticked: bool = False,
) -> Response:
    found = deeds.plans(talk, message_id)
    return visit.show(
        "rooms/group/erase.html",
        plans={name: shown_of(plan, visit.t, _SHOWN) for name, plan in found.items()},
        mark=deeds.mark_of(found),
        at=address_in(talk.id, "messages", message_id, "erase"),
        back=f"{address_in(talk.id)}#m-{message_id}",
        problem=problem,
        is_unticked=is_unticked,
    )


def _form_facts(group: str, message_id: str) -> dict[str, object]:
    return {
        "action": address_in(group, "messages", message_id, "edit"),
        "back": address_in(group),
        "digest": digest,
        "is_last": False,
    }


def _back(visit: BesideVisit, group: str, message_id: str, *told: str) -> Response:
    visit.request.app.state.live.wake(f"group/{group}")
    return visit.lead(f"{address_in(group)}#{f'm-{message_id}' if message_id else 'latest'}", *told)
