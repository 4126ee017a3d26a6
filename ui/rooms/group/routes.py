"""The room for several personas: choosing who is there, what is said, who comes and goes."""

from dataclasses import dataclass
from functools import partial
from secrets import token_urlsafe
from typing import Annotated, Final

from fastapi import APIRouter, Form
from fastapi.responses import Response

from agent.errors import StillAnsweringError
from agent.group.conversation import GroupConversation
from managers.groups import LEAST_PRESENT, MOST_PRESENT, Standing
from managers.personas.samples import FOR_GROUPS
from managers.storage.errors import UtataneError
from ui.components.faces import Face
from ui.rooms.group import view
from ui.rooms.group.view import GroupLive
from ui.rooms.talk import view as talk_view
from ui.rooms.talk.view import Entry
from ui.server.addresses import path_of, with_query
from ui.server.visit import Beside, BesideVisit, FormText

_SHOWN: Final = 100
"""So many messages are shown; what came before stands in each persona's own room."""
_STOP_SECONDS: Final = 3.0

router = APIRouter(prefix="/group")


def address_in(group: str, *names: str) -> str:
    """Return the address of a conversation with several, or of something in it; each name is one part."""
    return f"/group/{path_of(group, *names)}"


@dataclass(frozen=True)
class Room:
    """What the template is given."""

    visit: BesideVisit
    id: str
    standing: Standing
    faces: dict[str, Face]
    entries: list[Entry]
    live: GroupLive | None
    over: int
    told: list[Entry]
    waiting: list[str]
    unanswered: str = ""
    draft: str = ""
    off_record: bool = False

    nonce = property(lambda _self: token_urlsafe(9))
    shown_text = staticmethod(talk_view.shown_text)
    name_of = staticmethod(talk_view.name_of)
    time_of = staticmethod(talk_view.time_of)
    is_cap = staticmethod(talk_view.is_cap)

    @property
    def invitable(self) -> list[str]:
        """Who lives here and is not there yet."""
        there = self.standing.present
        return [name for name in self.faces if name not in there] if len(there) < MOST_PRESENT else []

    @property
    def read_only(self) -> bool:
        return self.visit.services.only_look

    def leaves(self, name: str) -> bool:
        """Tell whether what a persona hears leaves this computer, as far as that is known without asking a server."""
        try:
            choice = self.visit.services.companion(name).known_choice()
        except UtataneError:
            return False
        return choice is not None and choice.status.leaves_machine

    def level(self, name: str) -> int:
        """Return how far a persona and the user have come, as it was last counted."""
        try:
            return self.visit.services.memories(name).kpi.all_of().level
        except UtataneError:
            return 0

    def at(self, *deed: str) -> str:
        """Return the address of the room, or of what is done in it."""
        return address_in(self.id, *deed)

    def again(self, message_id: str, name: str = "") -> str:
        """Return where a message is asked to be answered, by whoever could not; empty where it cannot be."""
        return with_query(self.at("messages", message_id, "answer"), {"name": name}) if message_id else ""

    def kept(self, deed: str) -> str:
        """Return the same, still off the record where it is that now."""
        return f"{self.at(deed)}{'?off_record=1' if self.off_record else ''}"

    def face(self, name: str) -> Face:
        return view.face_in(self.faces, name)


@router.get("")
def choose(visit: Beside) -> Response:
    """Show whom one may sit down with, and the conversations that there are."""
    return _choice(visit)


@router.post("")
def begin(visit: Beside, name: Annotated[list[str] | None, Form()] = None) -> Response:
    """Sit down with some personas: where one talked with just these before, the talk goes on."""
    return _with(visit, name or [])


@router.post("/three")
def begin_with_three(visit: Beside) -> Response:
    """Sit down with the three samples, which come now if they were never here."""
    return _with(visit, FOR_GROUPS)


@router.get("/{group}")
def show(visit: Beside, group: str, off_record: str = "") -> Response:
    """Show the conversation."""
    return _page(visit, visit.services.groups.get(group), off_record=bool(off_record))


@router.post("/{group}/say")
def say(visit: Beside, group: str, text: FormText = "", nonce: FormText = "", off_record: FormText = "") -> Response:
    """Say something to all who are there: when this answers, it is on the disk of each."""
    talk = visit.services.groups.get(group)
    try:
        turn = talk.say(text, nonce=nonce, off_record=bool(off_record))
        turn.wait_until_heard()
        if (trouble := talk_view.unheard(turn.so_far)) is not None:
            raise trouble
    except UtataneError as error:
        return _page(visit, talk, draft=text, problem=error, off_record=bool(off_record))
    return _led(visit, group)


@router.post("/{group}/off-record")
def go_off_record(visit: Beside, group: str, on: FormText = "", text: FormText = "") -> Response:
    """Go off the record, or come back and let go of what was said there."""
    talk = visit.services.groups.get(group)
    if not on:
        talk.forget_off_record()
    if text:
        return _page(visit, talk, draft=text, off_record=bool(on))
    visit.request.app.state.live.wake(f"group/{group}")
    return visit.lead(f"{address_in(group)}{'?off_record=1' if on else ''}#latest")


@router.post("/{group}/stop")
def stop(visit: Beside, group: str, text: FormText = "") -> Response:
    """Stop whoever speaks, and let nobody else speak until the next message."""
    talk = visit.services.groups.get(group)
    if turn := talk.turn:
        turn.stop()
        turn.wait(_STOP_SECONDS)
    return _page(visit, talk, draft=text) if text else _led(visit, group)


@router.post("/{group}/skip")
def skip(visit: Beside, group: str, text: FormText = "") -> Response:
    """Stop whoever speaks; the next one goes on."""
    talk = visit.services.groups.get(group)
    if turn := talk.turn:
        turn.skip()
    return _page(visit, talk, draft=text) if text else _led(visit, group)


@router.post("/{group}/decline")
def decline(visit: Beside, group: str) -> Response:
    """Leave what the last round failed of; what was said stays, and may be answered later."""
    visit.services.groups.get(group).forget_failure()
    return _led(visit, group)


@router.post("/{group}/invite")
def invite(visit: Beside, group: str, name: FormText = "") -> Response:
    """Let somebody join."""
    visit.services.groups.get(group).invite(name)
    return _led(visit, group)


@router.post("/{group}/leave")
def leave(visit: Beside, group: str, name: FormText = "") -> Response:
    """Let somebody go."""
    visit.services.groups.get(group).leave(name)
    return _led(visit, group)


@router.post("/{group}/end")
def end(visit: Beside, group: str) -> Response:
    """End a conversation for good; what was said stays with each who heard it."""
    visit.services.groups.end(group)
    visit.request.app.state.live.wake(f"group/{group}")
    return visit.lead("/group", visit.t("group.ended"))


def _with(visit: BesideVisit, names: list[str] | tuple[str, ...]) -> Response:
    try:
        talk = visit.services.groups.of(names, visit.lang)
    except UtataneError as error:
        return _choice(visit, names, error)
    return _led(visit, talk.id)


def _choice(
    visit: BesideVisit, chosen: list[str] | tuple[str, ...] = (), problem: UtataneError | None = None
) -> Response:
    faces = view.faces_of(visit.services)
    return visit.show(
        "rooms/group/choose.html",
        status=400 if problem else 200,
        faces=faces,
        face_in=partial(view.face_in, faces),
        talks=visit.services.groups.all(),
        chosen=chosen,
        problem=problem,
        samples=[name for name in FOR_GROUPS if name not in faces],
        least=LEAST_PRESENT,
        most=MOST_PRESENT,
        read_only=visit.services.only_look,
    )


def _page(
    visit: BesideVisit,
    talk: GroupConversation,
    *,
    draft: str = "",
    problem: UtataneError | None = None,
    off_record: bool = False,
) -> Response:
    room = room_of(visit, talk, draft=draft, off_record=off_record)
    status = 200 if problem is None else 409 if isinstance(problem, StillAnsweringError) else 400
    return visit.show("rooms/group/group.html", status=status, room=room, problem=problem)


def room_of(visit: BesideVisit, talk: GroupConversation, *, draft: str = "", off_record: bool = False) -> Room:
    """Return what the template is given."""
    standing, turn, last = talk.standing, talk.turn, talk.last_turn
    visit.request.state.revision = view.revision_of_group(visit.services, talk, standing)
    told, waiting = view.outcome(last)
    said = talk.messages(_SHOWN)
    entries = view.entries_of(said, visit.now.date(), visit.t)
    if off_record := off_record or bool(talk.off_record) or bool(turn and turn.off_record):
        entries += view.aside_of(talk.off_record)
    is_open = not turn and not off_record and not any(one.kind == "failure" for one in told)
    return Room(
        visit=visit,
        unanswered=talk_view.unanswered(said) if is_open and not visit.services.only_look else "",
        id=talk.id,
        standing=standing,
        faces=view.faces_of(visit.services),
        entries=entries,
        live=view.after(view.begun(turn), turn.so_far) if turn else None,
        over=turn.number - 1 if turn else last.number if last else 0,
        told=told,
        waiting=waiting,
        draft=draft,
        off_record=off_record,
    )


def _led(visit: BesideVisit, group: str) -> Response:
    visit.request.app.state.live.wake(f"group/{group}")
    return visit.lead(f"{address_in(group)}#latest")
