"""The nodes of a round: who heard the message, whom it speaks to, who speaks next, and what they say."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from langgraph.runtime import Runtime

from agent.companion import Companion
from agent.events import Begins, Failed, Noticed, Received, Replied, TurnEvent
from agent.forgetting import let_go_of_same
from agent.group.addressed import domain_of, read_address
from agent.group.turn import GroupTurn
from agent.group.who_speaks import USER, GroupState, is_automatic, next_speaker, with_turn
from agent.minds.protocol import Mind
from managers.language.reading.concern import find_concern
from managers.language.reading.forget_wishes import asks_to_forget, read_forget_wish
from managers.memory.forgotten import forgotten_words
from managers.memory.messages import Message
from managers.mind import Cancel, Company, Resumed
from managers.sessions.threads import Said
from managers.storage.errors import UtataneError, as_notice
from managers.storage.settings import GroupSettings


class Round(GroupState):
    """A thread's state while a message is answered.

    Attributes:
        message: the user's.
        since: what the personas said to it, as another persona's words, oldest first.
        arranges: it says who is to speak, and nothing else.
    """

    message: Message
    since: list[Message]
    arranges: bool


Told = Callable[[str], Resumed | None]
"""Returns what a persona may be told of a topic that is come back to."""


@dataclass(frozen=True)
class RoundSurroundings:
    """What the nodes of a round may use."""

    group: str
    companions: Mapping[str, Companion]
    """Those who are there as it begins, by name."""
    former: Sequence[str]
    present_now: Callable[[], Sequence[str]]
    """Who is there at this moment: somebody may leave while the others speak."""
    settings: GroupSettings
    emit: Callable[[TurnEvent], None]
    cancel: Cancel
    turn: GroupTurn
    resumed: Told = lambda _: None
    again: str = ""
    """Who could not answer before, and is to do so now."""
    built_in: bool = False
    """Whether the built-in mind speaks for them this once."""
    aside: list[Message] | None = None
    """What was said off the record before, which this round is then; None: it is on the record."""

    def own(self, name: str) -> GroupSettings:
        """Return what a persona's own settings say."""
        return self.companions[name].memories.settings().group

    def owners(self, text: str) -> list[str]:
        """Return whose domain a message is about, the one whom it fits best first."""
        return list(domain_of(text, {name: self.own(name).domain_keywords for name in self.companions}))

    def domain(self, name: str) -> str:
        """Return what a persona knows about, in a word."""
        return self.own(name).domain or name

    def read(self, text: str, now: datetime) -> Said:
        """Return a message as it is told by which topic it belongs to."""
        targets = read_address(text, self.names()).targets
        asked = self.domain(targets[0]) if len(targets) == 1 else ""
        return Said(text, now, tuple(map(self.domain, self.owners(text))), asked)

    def names(self, but: str = "") -> dict[str, list[str]]:
        """Return what each persona there is called, by its own name."""
        return {name: [name, *self.own(name).names] for name in self.companions if name != but}


Around = Runtime[RoundSurroundings]


def hear(state: Round, runtime: Around) -> dict[str, object]:
    """Put the user's message on the disk of everybody who is there, before anything else happens.

    Raises:
        UtataneError: nobody could; nothing was written.
    """
    around, failed = runtime.context, list(state["failed"])
    for name, companion in around.companions.items() if around.aside is None else ():
        try:
            companion.overhear(state["message"])
        except UtataneError as error:
            failed.append(name)
            around.emit(Noticed(as_notice("group-without", error)))
            if len(failed) == len(state["present"]):
                raise
    around.emit(Received(state["message"]))
    turns, ct = with_turn(state, USER, state["message"].text)
    for one in state["since"]:
        now = state.copy()
        now["turns"], now["ct"] = turns, ct
        turns, ct = with_turn(now, one.speaker, one.text)
    return {"failed": failed, "turns": turns, "ct": ct}


def address(state: Round, runtime: Around) -> dict[str, object]:
    """Read whom the message speaks to, and whose domain it is about."""
    around, text = runtime.context, state["message"].text
    found = read_address(text, around.names())
    only = state["only"] if found.only is None else [*found.only]
    if found.only is None and not {*found.targets} <= {*only}:
        only = []  # until somebody else is addressed
    return {
        "targets": [around.again] if around.again else list(found.targets),
        "only": only,
        "owners": around.owners(text),
        "quiet": found.is_all or find_concern(text) is not None or read_forget_wish(text) is not None,
        "arranges": found.is_all,
        "auto_prompt": 0,
    }


def choose_speaker(state: Round, runtime: Around) -> dict[str, object]:
    """Choose who speaks next; nobody, once the person has stopped it."""
    around = runtime.context
    if around.cancel.is_set():
        return {"next": ""}
    now = state.copy()
    now["present"] = [one for one in state["present"] if one in around.present_now()]
    return {"next": next_speaker(now, around.settings.max_ct, around.settings.max_auto_prompt)}


def after_choice(state: Round) -> Literal["speak", "settle"]:
    """Let somebody speak, or end the round."""
    return "speak" if state.get("next") else "settle"


def speak(state: Round, runtime: Around) -> dict[str, object]:
    """Let the chosen persona answer with its own mind and memories; the others hear it."""
    around, name = runtime.context, state["next"]
    around.emit(Begins(name))
    reply = _answer_of(name, state, around)
    if reply is None:
        return {"failed": [*state["failed"], name]}
    heard = replace(reply, role="other", branch="", variant="", present=_there(around), group=around.group)
    _tell_others(heard, name, state, around)
    turns, ct = with_turn(state, name, reply.text)
    return {
        "since": [*state["since"], heard],
        "turns": turns,
        "ct": ct,
        "spoken": [*state["spoken"], name],
        "auto_prompt": state["auto_prompt"] + is_automatic(state),
        "called": list(read_address(reply.text, around.names(but=name)).targets),
    }


def settle(state: Round, runtime: Around) -> dict[str, object]:
    """Let everybody who was there remember it, whether they spoke or not."""
    around = runtime.context
    for name, companion in around.companions.items() if around.aside is None else ():
        if name not in state["failed"] or name in state["spoken"]:
            companion.after_listening(None if name in state["spoken"] else state["message"])
    return {}


def _answer_of(name: str, state: Round, around: RoundSurroundings) -> Message | None:
    """Return what a persona answers, which its own log has; None if it could not."""
    reply: Message | None = None
    try:
        companion = around.companions[name]
        company, listeners = _company(name, state, around), _listeners(name, state, around)
        is_built_in = around.built_in and name == around.again
        aside = _heard_aside(name, around)
        turn = companion.answer_among(state["message"], company, listeners, aside, built_in=is_built_in)
    except UtataneError as error:
        around.emit(Failed(error))
        return None
    around.turn.speaking = turn
    if around.cancel.is_set():
        around.turn.stop()
    for event in turn.events():
        if isinstance(event, Replied):
            reply = event.message
        if not isinstance(event, Received):
            around.emit(event)
    around.turn.speaking = None
    return reply


def _there(around: RoundSurroundings) -> tuple[str, ...]:
    now = around.present_now()
    return tuple(one for one in around.companions if one in now)


def _heard_aside(name: str, around: RoundSurroundings) -> list[Message] | None:
    """Return what a persona heard off the record; None where the round is on it."""
    if around.aside is None:
        return None
    return [replace(one, role="persona") if one.speaker == name else one for one in around.aside if name in one.present]


def _company(name: str, state: Round, around: RoundSurroundings) -> Company:
    own = around.own(name)
    others = [called for all_of in around.names(but=name).values() for called in all_of]
    return Company(
        group=around.group,
        present=_there(around),
        voices=(*others, *around.former),
        own_names=(name, *own.names),
        since=tuple(replace(one, role="persona") if one.speaker == name else one for one in state["since"]),
        domain=own.domain_about or own.domain,
        is_of_domain=name in state["owners"],
        is_addressed=name in state["targets"],
        arranges=state["arranges"],
        remarks=own.remarks,
        thread=state["thread_id"],
        resumed=around.resumed(name),
    )


def _listeners(name: str, state: Round, around: RoundSurroundings) -> list[Mind]:
    """Return the minds of the others: what they must not be given, nobody may say before them."""
    others = [one for one in state["present"] if one != name and one not in state["failed"]]
    return [around.companions[one].choice().mind for one in others]


def _tell_others(reply: Message, name: str, state: Round, around: RoundSurroundings) -> None:
    """Put what one persona said into the logs of the others who are there; what it forgot, they forget."""
    message = state["message"]
    if around.aside is not None:
        return
    gone: list[str] = []
    if asks_to_forget(message.text):
        forgotten = forgotten_words(around.companions[name].memories.log)
        gone = [said.id for one in forgotten if one.id == message.id for said in one.messages]
    there = around.present_now()
    for other, companion in around.companions.items():
        if other == name or other in state["failed"] or other not in there:
            continue
        try:
            companion.overhear(reply)
            if gone:
                let_go_of_same(companion.memories, message.id, gone)
        except UtataneError as error:
            around.emit(Noticed(as_notice("group-without", error)))
