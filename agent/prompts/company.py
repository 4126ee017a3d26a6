"""What a persona is told of the others, in a conversation of several; their words are quoted, never the user's."""

from collections.abc import Collection, Sequence

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


def resumed(lang: Lang, company: Company, shown: Collection[str]) -> list[str]:
    """Return what is told of a topic that is come back to, quoted; words among `shown` stand elsewhere in the prompt."""
    if company.resumed is None:
        return []
    told = [passage(_say("topic", lang), company.resumed.summary)] if company.resumed.summary else []
    turns = [one for one in company.resumed.turns if one.id not in shown]
    told += [passage(_say("said", lang, name=name_in_label(one.speaker)), one.text) for one in turns]
    left = [one_line(title) for title in company.resumed.open]
    return [*told, passage(_say("left_open", lang), "\n".join(left))] if left else told


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
