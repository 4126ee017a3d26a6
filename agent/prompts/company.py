"""What a persona is told of the others, in a conversation of several; their words are quoted, never the user's."""

from __future__ import annotations

from collections.abc import Sequence

from agent.prompts.quoting import name_in_label, one_line, passage
from managers.memory.messages import Message
from managers.mind import ChatTurn, Company
from managers.storage.errors import Lang
from managers.storage.texts import Texts

_say = Texts("prompts/group")


def who_is_here(lang: Lang, company: Company, persona: str, user: str) -> str:
    """Say who is there, and that nobody speaks for another."""
    others = [name_in_label(name) for name in company.present if name != persona]
    joint = "、" if lang == "ja" else ", "
    facts = {"user": user, "persona": persona, "others": joint.join(others)}
    told = [_say("here" if others else "here_alone", lang, **facts)]
    if company.domain:
        told.append(_say("knows", lang, domain=one_line(company.domain)))
    return "\n".join(told)


def words_of(lang: Lang, message: Message) -> ChatTurn:
    """Return what another persona said, quoted under its name."""
    label = _say("said", lang, name=name_in_label(message.speaker))
    return ChatTurn("user", "", message.time, quoted=passage(label, message.text))


def since(lang: Lang, company: Company, persona: str, user: str) -> Sequence[ChatTurn]:
    """Return what was said after the message that is answered, and whose turn it is; nothing where nothing was said."""
    turns = [
        ChatTurn("persona", one.text, one.time) if one.role == "persona" else words_of(lang, one)
        for one in company.since
    ]
    if not turns:
        return ()
    cue = _say("your_turn", lang, user=user, persona=persona)
    cue = cue if company.is_first else f"{cue}\n{_say('you_and', lang)}"
    return [*turns, ChatTurn("user", "", company.since[-1].time, quoted=cue)]
