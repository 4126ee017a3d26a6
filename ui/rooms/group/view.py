"""What the room for several shows: who is there, what was said, who speaks now."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from agent.events import Begins, Failed, Held, Noticed, Received, Replied, TurnEvent
from agent.group.conversation import GroupConversation
from agent.services import Services
from agent.turn import Turn
from managers.groups import Standing
from managers.memory.messages import Message
from ui.components.faces import Face, face
from ui.components.revision import touched
from ui.components.times import day_name
from ui.locales import Texts
from ui.rooms.memories.shelves import shorten
from ui.rooms.talk import view as talk_view
from ui.rooms.talk.view import Entry, Live

_TOPIC = 40
"""So many letters remind of what a topic was."""


@dataclass(frozen=True, slots=True)
class GroupLive:
    """A round under way: who speaks, and what has come of it.

    Attributes:
        speaker: empty between two of them.
        live: the answer of the one who speaks.
        step: how many events it is made from.
    """

    speaker: str
    live: Live
    step: int = 0

    @property
    def number(self) -> int:
        return self.live.number

    @property
    def speaking(self) -> str:
        return self.live.speaking


def begun(turn: Turn) -> GroupLive:
    """Return a round of which nothing has come yet."""
    return GroupLive("", Live(turn.number))


def after(shown: GroupLive, events: Sequence[TurnEvent]) -> GroupLive:
    """Return what is shown of a round after more events."""
    for event in events:
        match event:
            case Begins(speaker):
                shown = GroupLive(speaker, Live(shown.number), shown.step)
            case Replied() | Failed():
                shown = GroupLive("", Live(shown.number), shown.step)
            case _:
                shown = replace(shown, live=talk_view.after(shown.live, [event]))
        shown = replace(shown, step=shown.step + 1)
    return shown


def faces_of(services: Services) -> dict[str, Face]:
    """Return how everybody looks who lives here, by name."""
    return {persona.name: face(persona) for persona in services.personas.list()}


def entries_of(messages: Sequence[Message], today: date, t: Texts) -> list[Entry]:
    """Return the entries for messages: days, who came and went, where a topic begins or is come back to, what was said."""
    entries: list[Entry] = []
    day, present = None, None
    begun: dict[int, str] = {}
    thread = 0
    for message in messages:
        if message.time.date() != day:
            day = message.time.date()
            entries.append(Entry(f"day-{day}", "day", {"label": day_name(day, today, t)}))
        if present is not None and message.present != present:
            words = list(_moves(present, message.present, t))
            entries += [
                Entry(f"moves-{message.id}-{at}", "announcement", {"text": one}) for at, one in enumerate(words)
            ]
        present = message.present
        if message.thread not in (0, thread):
            if thread:
                entries.append(Entry(f"topic-{message.id}", "topic", {"label": _topic(message, begun, t)}))
            thread = message.thread
            begun.setdefault(thread, message.text)
        entries.append(Entry(f"m-{message.id}", "message", {"message": message, "off_record": False}))
    return entries


def aside_of(messages: Sequence[Message]) -> list[Entry]:
    """Return the entries for what is said off the record."""
    said = [Entry(f"m-{one.id}", "message", {"message": one, "off_record": True}) for one in messages]
    return [Entry("off-record", "off-record"), *said]


def _topic(message: Message, begun: Mapping[int, str], t: Texts) -> str:
    """Return what stands where another topic is spoken of."""
    if message.thread in begun:
        return t("group.topic_back", words=shorten(begun[message.thread], _TOPIC))
    return t("group.topic_far" if any(one > message.thread for one in begun) else "chat.new_topic_line")


def _moves(before: Sequence[str], after: Sequence[str], t: Texts) -> Iterator[str]:
    yield from (t("group.went", name=name) for name in before if name not in after)
    yield from (t("group.came", name=name) for name in after if name not in before)


def outcome(turn: Turn | None) -> tuple[list[Entry], list[str]]:
    """Return what is to be known of how a round went, and who would write something and waits for a yes."""
    told: list[Entry] = []
    waiting: list[str] = []
    heard = speaker = ""
    for event in turn.so_far if turn else ():
        if isinstance(event, Received) and turn and not turn.off_record:
            heard = event.message.id
        elif isinstance(event, Begins):
            speaker = event.speaker
        elif isinstance(event, Noticed):
            told.append(Entry(f"noticed-{len(told)}", "noticed", {"notice": event.notice}))
        elif isinstance(event, Failed):
            facts = {"error": event.error, "id": heard, "name": speaker}
            told.append(Entry(f"failure-{len(told)}", "failure", facts))
        elif isinstance(event, Held):
            waiting.append(speaker)
    return told, list(dict.fromkeys(waiting))


def revision_of_group(services: Services, talk: GroupConversation, standing: Standing) -> str:
    """Return a token that changes whenever the room would be drawn in another way."""
    turn, last = talk.turn, talk.last_turn
    home = services.home
    there = [home.persona(name) for name in standing.present]
    parts = [
        turn.number if turn else 0,
        last.number if last else 0,
        len(talk.off_record),
        *standing.present,
        *map(touched, (home.groups, home.settings, home.characters)),
        *(touched(path) for one in there for path in (one.log, one.persona_json, one.folder)),
        *(notice.code for notice in services.notices.all),
    ]
    return "/".join(map(str, parts))


def face_in(faces: Mapping[str, Face], name: str) -> Face:
    """Return how somebody looks; who is gone has their first letter."""
    return faces.get(name) or Face(name)
