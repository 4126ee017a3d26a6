"""The conversation: what is said, shown, taken back, and asked again."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from secrets import token_urlsafe
from typing import Annotated, Final

from fastapi import APIRouter, File, Form, UploadFile
from fastapi.responses import Response

from agent import attachments as attached_files
from agent.companion import Alternatives, Companion
from agent.errors import StillAnsweringError
from managers.memory.errors import MessageNotFoundError
from managers.memory.messages import Message
from managers.storage.errors import UtataneError
from managers.storage.files import digest
from ui.components.faces import Face, face_of
from ui.rooms.mind.card import card_of
from ui.rooms.talk import view
from ui.rooms.talk.view import Entry
from ui.server.uploads import sent_files
from ui.server.visit import FormText, PersonaVisit, With

MESSAGES_AT_FIRST: Final = 20
"""How many messages a window opens with: some screens of them, for each one more is laid out before one can type."""
PAGE_OF_MESSAGES: Final = 50
"""How many come with each look further back."""
_DEEPEST: Final = 2_000
"""So many messages a page shows at most, however often older ones were asked for."""

router = APIRouter(prefix="/p/{persona}")


@dataclass(frozen=True)
class Talk:
    """What the templates of the conversation are given (`entries.html`, `composer.html`)."""

    visit: PersonaVisit
    companion: Companion
    face: Face
    entries: list[Entry]
    older: str
    shown: Mapping[str, str]
    off_record: bool
    turn: int
    over: int
    recalled: dict[str, int]
    last: str
    answers: frozenset[str]
    minds: dict[str, str]
    draft: str = ""

    nonce = property(lambda _self: token_urlsafe(9))
    accept = ",".join(sorted(attached_files.ACCEPTED))
    largest = attached_files.MAX_BYTES
    shown_text = staticmethod(view.shown_text)
    name_of = staticmethod(view.name_of)
    time_of = staticmethod(view.time_of)
    is_cap = staticmethod(view.is_cap)

    @cached_property
    def greetings(self) -> list[str]:
        return self.companion.memories.openings()

    @property
    def opening(self) -> int:
        """Which of the greetings stands."""
        return min(self.companion.opening, max(len(self.greetings) - 1, 0))

    @property
    def branches(self) -> int:
        return len(self.companion.branches())

    @property
    def read_only(self) -> bool:
        return self.visit.services.only_look

    @property
    def later(self) -> bool:
        """Whether more was said than is shown."""
        return "before" in self.shown

    @property
    def deeper(self) -> str:
        """The address of this page with more of what came before; empty where the end is not on it."""
        if self.later:
            return ""
        depth = int(self.shown.get("depth", MESSAGES_AT_FIRST)) + PAGE_OF_MESSAGES
        return self.visit.at("", **{**self.shown, "depth": depth})

    def at(self, room: str = "", *names: str) -> str:
        """Return an address in this persona's rooms."""
        return self.visit.at(room, *names)

    def kept(self, room: str, *names: str) -> str:
        """Return where a form goes that leads back to as much of the end as is shown now, off the record or on it."""
        return self.visit.at(room, *names, **{**self.shown, "before": ""})

    @property
    def again(self) -> str:
        """The address of the end as it is by then; one of its own, or a browser would only go down the page that it has."""
        return f"{self.visit.at('', look=self.nonce, **{**self.shown, 'before': ''})}#latest"

    def of(self, message_id: str, deed: str) -> str:
        """Return the address of something that is done with a message; it leads back to what is shown now."""
        return self.visit.at("messages", message_id, deed, **self.shown)

    def attachments(self, message: Message) -> list[view.Attachment]:
        """Return the files of a message."""
        return view.attachments(message, self.face.name)

    def alternatives(self, message: Message) -> Alternatives | None:
        """Return all answers that were given in a message's place; None where there is one alone."""
        found = self.companion.alternatives(message.id) if message.variant else None
        return found if found and len(found.messages) > 1 else None

    def can_retry(self, message: Message) -> bool:
        """Tell whether a message can be answered, or answers one: a greeting does not."""
        return not message.group and (message.id == self.last or message.id in self.answers)

    def new_mind(self, message: Message) -> str:
        """Return the name of the mind that spoke, where it is another one than before."""
        return self.minds.get(message.id, "")


@router.get("/")
def show(visit: With) -> Response:
    """Show the conversation, as far as its address says: its end or, with `before`, what came before a message."""
    return _page(visit)


@router.post("/say")
def say(
    visit: With,
    text: FormText = "",
    nonce: FormText = "",
    off_record: FormText = "",
    files: Annotated[list[UploadFile] | None, File()] = None,
) -> Response:
    """Say something: when this answers, it is on disk."""
    companion = visit.companion
    try:
        with sent_files(visit.services.home, files or []) as sent:
            turn = companion.say(text, attachments=sent, off_record=bool(off_record), nonce=nonce)
            turn.wait_until_heard()
            if (trouble := view.unheard(turn.so_far)) is not None:
                raise trouble
    except UtataneError as error:
        return _page(visit, draft=text, problem=error, off_record=bool(off_record))
    visit.wake()
    return visit.lead(_end_of(visit, off_record=bool(off_record)))


@router.post("/stop")
def stop(visit: With, off_record: FormText = "", text: FormText = "") -> Response:
    """Stop the answer under way; what was said so far is kept, and what stands in the field stays there."""
    if turn := visit.companion.turn:
        turn.stop()
        turn.wait(_STOP_SECONDS)
    if text:
        return _page(visit, draft=text, off_record=bool(off_record))
    return visit.lead(_end_of(visit, off_record=bool(off_record)))


@router.post("/topic")
def begin_topic(visit: With, text: FormText = "") -> Response:
    """Begin a new topic; what stands in the field stays there."""
    visit.companion.new_topic()
    return _page(visit, draft=text) if text else visit.lead(_end_of(visit))


@router.post("/off-record")
def go_off_record(visit: With, on: FormText = "", text: FormText = "") -> Response:
    """Go off the record, or come back and let go of what was said there."""
    if not on:
        visit.companion.forget_off_record()
    if text:
        return _page(visit, draft=text, off_record=bool(on))
    return visit.lead(_end_of(visit, off_record=bool(on)))


@router.get("/messages/{message_id}/deeds")
def deeds(visit: With, message_id: str) -> Response:
    """Show what can be done with a message; the script shows it beside the message itself."""
    message = _message(visit, message_id)
    return visit.show("rooms/talk/deeds.html", message=message, talk=talk_of(visit))


@router.post("/messages/{message_id}/regenerate")
def regenerate(visit: With, message_id: str, by: FormText = "") -> Response:
    """Answer a message, again or for the first time; with the built-in mind, where that is asked for."""
    visit.companion.regenerate(message_id, built_in=by == "builtin")
    return _led(visit)


@router.get("/messages/{message_id}/edit")
def edit_form(visit: With, message_id: str) -> Response:
    """Show the form that gives a message another text."""
    message = _message(visit, message_id)
    return visit.part("rooms/talk/edit.html", message=message, mine=message.text, **_form_facts(visit, message_id))


@router.post("/messages/{message_id}/edit")
def edit(visit: With, message_id: str, text: FormText = "", based_on: FormText = "", again: FormText = "") -> Response:
    """Give a message another text; the last of one's own is answered anew where that is asked for.

    One that has been given another text since the form was shown keeps it: both are shown.
    """
    now = _message(visit, message_id)
    if based_on not in {"", digest(now.text)} and text != now.text:
        return visit.show(
            "rooms/talk/conflict.html", status=409, message=now, mine=text, **_form_facts(visit, message_id)
        )
    turn = visit.companion.edit(message_id, text, answer=bool(again))
    return _led(visit) if turn else visit.lead(f"{_here(visit)}#m-{message_id}")


@router.post("/messages/{message_id}/delete")
def delete(visit: With, message_id: str) -> Response:
    """Take a message back; of the last of one's own its answer goes with it."""
    visit.companion.delete(message_id)
    return visit.lead(_here(visit), visit.t("chat.deleted"))


@router.post("/messages/{message_id}/choose")
def choose(visit: With, message_id: str, index: Annotated[int, Form()]) -> Response:
    """Let another of the answers stand that were given in one place."""
    visit.companion.choose(message_id, index)
    return visit.lead(_end_of(visit))


@router.post("/opening")
def choose_opening(visit: With, index: Annotated[int, Form()]) -> Response:
    """Let another of the greetings stand, where nothing was ever said."""
    visit.companion.choose_opening(index)
    return visit.lead(_here(visit))


@router.post("/messages/{message_id}/branch")
def branch(visit: With, message_id: str) -> Response:
    """Go on from a message as if what came after had not been said."""
    visit.companion.branch(message_id)
    return visit.lead(_end_of(visit), visit.t("chat.branched"))


@router.post("/decline")
def decline(visit: With) -> Response:
    """Leave what the last turn failed of; what was said stays, and may be answered later."""
    visit.companion.forget_failure()
    return _led(visit)


@router.get("/branches")
def branches(visit: With) -> Response:
    """Show the branches that were set aside."""
    found = visit.companion.branches()
    return visit.show("rooms/talk/branches.html", branches=found, now=visit.now, shown=_shown(visit))


@router.post("/branches/{branch_id}")
def switch_branch(visit: With, branch_id: str) -> Response:
    """Come back to a branch; what is said now is set aside."""
    visit.companion.switch_branch(branch_id)
    return visit.lead(_end_of(visit), visit.t("chat.switched"))


@router.post("/held/{held}")
def decide(visit: With, held: str, reply: Annotated[str, Form(alias="answer")], shown: FormText = "") -> Response:
    """Let what waits be written, or leave it; what has changed meanwhile is shown anew."""
    visit.companion.decide(held, allow=reply == "allow", shown=shown)
    return visit.lead(_end_of(visit))


@router.get("/why/{message_id}")
def why(visit: With, message_id: str) -> Response:
    """Show what was recalled for an answer."""
    found = visit.companion.why(message_id)
    query, hits = (found.query, found.hits) if found else ("", ())
    return visit.part("rooms/talk/why.html", query=query, hits=hits, view=view)


def talk_of(visit: PersonaVisit, *, off_record: bool | None = None, draft: str = "") -> Talk:
    """Return the conversation as it is now, with the turn under way as far as it has come, whoever asks.

    Args:
        visit: the request.
        off_record: whether what is said next stays off the record; None: as the address has it.
        draft: what stands in the field.
    """
    companion, t = visit.companion, visit.t
    turn = companion.turn
    last = companion.last_turn
    live = view.live_of(turn) if turn else None
    part = _shown(visit, off_record=off_record)
    before = part.get("before", "")
    depth = min(max(int(part.get("depth", PAGE_OF_MESSAGES if before else MESSAGES_AT_FIRST)), 1), _DEEPEST)
    memories, today = companion.memories, visit.now.date()
    found = memories.log.tail(depth + 1, before or None, controls=True)
    said = found[-depth:]
    is_aside = bool(turn and turn.off_record)
    entries = view.conversation(said, today, t, live=None if before or is_aside else live)
    if is_off := "off_record" in part or bool(companion.off_record) or is_aside:
        part["off_record"] = "1"
    if not before:
        entries += _end(visit, said, live)
        if is_off:
            entries.append(Entry("off-record", "off-record"))
            entries += view.conversation(companion.off_record, today, t, off_record=True)
            if live and is_aside:
                entries.append(view.live_entry(live))
        entries += view.held_entries(memories.spare("held", companion.waiting, []), visit.name, t)
    older = visit.at("", **{**part, "before": said[0].id, "depth": ""}) if len(found) > depth and said else ""
    return Talk(
        visit=visit,
        companion=companion,
        face=face_of(visit.services, visit.name),
        entries=entries,
        older=older,
        shown=part,
        off_record=is_off,
        turn=turn.number if turn else 0,
        over=turn.number - 1 if turn else last.number if last else 0,
        recalled=memories.spare("recall-log", partial(memories.recall_log.counts, depth), dict[str, int]()),
        last=view.last_of(said),
        answers=view.answers(said),
        minds=view.minds(said, t),
        draft=draft,
    )


_STOP_SECONDS: Final = 3.0


def _end(visit: PersonaVisit, said: list[Message], live: view.Live | None) -> list[Entry]:
    """Return what stands at the end of what was said: the first words, or how the last turn went."""
    companion, may_write = visit.companion, not visit.services.only_look
    entries = []
    if not any(message.role != "system" for message in said) and not companion.off_record and not (live and live.heard):
        entries.append(Entry("opening", "opening"))
    if live is not None:
        return entries
    went = view.how_it_went(companion, [*said, *companion.off_record])
    if went is not None:
        entries += view.outcome(went, can_retry=may_write and not companion.off_record)
    unanswered = view.unanswered(said)
    if unanswered and (went is None or went.error is None) and may_write and not companion.off_record:
        entries.append(Entry("unanswered", "unanswered", {"id": unanswered}))
    return entries


def _page(
    visit: PersonaVisit, *, off_record: bool | None = None, draft: str = "", problem: UtataneError | None = None
) -> Response:
    talk = talk_of(visit, off_record=off_record, draft=draft)
    status = 200 if problem is None else 409 if isinstance(problem, StillAnsweringError) else 400
    card = None if talk.later else card_of(visit)
    return visit.show("rooms/talk/talk.html", status=status, problem=problem, talk=talk, card=card)


def _here(visit: PersonaVisit, *, off_record: bool | None = None) -> str:
    return visit.at("", **_shown(visit, off_record=off_record))


def _end_of(visit: PersonaVisit, *, off_record: bool | None = None) -> str:
    return f"{_here(visit, off_record=off_record)}#latest"


def _shown(visit: PersonaVisit, *, off_record: bool | None = None) -> dict[str, str]:
    """Return what of the conversation is shown, as its address says, and whether off the record, if nothing else is told.

    Whatever is done with a message leads back to that: nobody is put on the record again without noticing.
    """
    told = visit.request.query_params
    shown = {key: told.get(key, "") for key in ("before", "depth", "off_record")}
    if off_record is not None:
        shown["off_record"] = "1" if off_record else ""
    return {key: value for key, value in shown.items() if value and (key != "depth" or value.isdecimal())}


def _led(visit: PersonaVisit) -> Response:
    visit.wake()
    return visit.lead(_end_of(visit))


def _message(visit: PersonaVisit, message_id: str) -> Message:
    message = visit.memories.log.get(message_id)
    if message is None:
        raise MessageNotFoundError(message_id=message_id)
    return message


def _form_facts(visit: PersonaVisit, message_id: str) -> dict[str, object]:
    """Return what the form shows in which a message is given another text, besides the texts."""
    is_last = message_id == view.last_of(visit.memories.log.thread(PAGE_OF_MESSAGES))
    return {
        "is_last": is_last,
        "back": _here(visit),
        "action": visit.at("messages", message_id, "edit", **_shown(visit)),
        "digest": digest,
    }
