"""Off the record nobody keeps a word; and what is done with a message is done for all who heard it."""

import pytest

from agent.companion import Companion
from agent.group import deeds
from agent.group.conversation import GroupConversation
from agent.turn import Turn
from managers.hygiene.errors import PlanChangedError
from managers.memory.errors import MessageNotFoundError
from managers.storage.errors import BusyError
from managers.storage.files import read_bytes
from tests.agent.conftest import sure
from tests.agent.group.conftest import NAMES, Table, everything, known_by

SECRET = "The safe stands behind the marmalade-17."


def test_off_the_record_all_hear_and_nobody_keeps_it(table: Table) -> None:
    talk = table.talk()
    table.round(talk, "Hello everyone.")
    before = read_bytes(table.services.home.groups), {name: table.log(name) for name in NAMES}
    minds = {name: table.scripted(name, "Quietly.", "As you said.") for name in NAMES}
    table.answers(talk.say("Everyone, " + SECRET, off_record=True))
    assert [one.speaker for one in talk.off_record] == ["user", *NAMES]
    table.answers(talk.say("Noxx, where was it?", off_record=True))
    heard = everything(minds["Noxx"].requests[-1])
    assert "marmalade-17" in heard
    assert "Quietly." in heard
    assert all(not one.tools or all("edit" not in tool.name for tool in one.tools) for one in minds["Noxx"].requests)
    table.settle()
    assert (read_bytes(table.services.home.groups), {name: table.log(name) for name in NAMES}) == before
    for name in NAMES:
        assert "marmalade-17" not in known_by(table, name)
    minds["Lumi"].enqueue("What?")
    table.round(talk, "Lumi, what did I say?")
    assert not talk.off_record
    assert "marmalade-17" not in everything(minds["Lumi"].requests[-1])


def test_who_left_meanwhile_hears_nothing_off_the_record(table: Table) -> None:
    talk = table.talk()
    for name in NAMES:
        table.scripted(name, "Yes.", "Yes.", "Yes.")
    table.answers(talk.say("Everyone, hello.", off_record=True))
    talk.leave("Noxx")
    table.answers(talk.say("Lumi, " + SECRET, off_record=True))
    talk.invite("Noxx")
    table.answers(talk.say("Noxx, hello again.", off_record=True))
    assert "marmalade-17" not in everything(table.scripted("Noxx").requests[-1])
    talk.forget_off_record()
    assert not talk.off_record


def said(table: Table, talk: GroupConversation, text: str) -> str:
    table.round(talk, text)
    return next(one.id for one in reversed(talk.messages()) if one.text == text)


def test_an_edit_that_was_cut_off_reads_as_not_done_and_is_done_once_more(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        """What no code of ours catches."""

    talk = table.talk()
    message = said(table, talk, "Everyone, my sister lives in Otaru.")
    edit, done = Companion.edit, list[str]()

    def until_killed(companion: Companion, message_id: str, text: str) -> Turn | None:
        if done:
            raise Killed
        done.append(companion.memories.paths.name)
        return edit(companion, message_id, text)

    with monkeypatch.context() as patched:
        patched.setattr(Companion, "edit", until_killed)
        with pytest.raises(Killed):
            deeds.edit(talk, message, "Everyone, my sister lives in Otsu.")
    assert deeds.message_of(talk, message).text == "Everyone, my sister lives in Otaru."
    assert "Everyone, my sister lives in Otaru." in [one.text for one in talk.messages()]
    deeds.edit(talk, message, "Everyone, my sister lives in Otsu.")
    for name in NAMES:
        assert sure(table.memories(name).log.get(message)).text.endswith("Otsu."), name


def test_an_edited_or_deleted_message_is_so_for_all(table: Table) -> None:
    talk = table.talk()
    first = said(table, talk, "Everyone, my cat is called Sesame.")
    answer = next(one for one in talk.messages() if one.role != "user")
    deeds.edit(talk, first, "Everyone, my cat is called Pepper.")
    deeds.edit(talk, answer.id, "A fine name.")
    for name in NAMES:
        texts = {one.id: one.text for one in table.log(name)}
        assert texts[first].endswith("Pepper.")
        assert texts[answer.id] == "A fine name."
    early = {one.id for one in talk.messages()}
    last = said(table, talk, "Everyone, it rained.")
    deeds.delete(talk, first)
    assert answer.id in {one.id for one in talk.messages()}, "the answers to an earlier message stay"
    deeds.delete(talk, last)
    for name in NAMES:
        left = table.log(name)
        assert not [one for one in left if one.role == "user"]
        assert {one.id for one in left} <= early, "the answers to the last one go with it"
    with pytest.raises(MessageNotFoundError):
        deeds.delete(talk, first)


def test_what_fails_for_one_is_done_for_the_others_and_then_again(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk = table.talk()
    first = said(table, talk, "Everyone, my cat is called Sesame.")

    def busy(*_: object, **__: object) -> None:
        raise BusyError(name="log.txt")

    with monkeypatch.context() as patched:
        patched.setattr(table.memories("Lumi").log, "supersede", busy)
        with pytest.raises(BusyError):
            deeds.edit(talk, first, "My cat is called Pepper.")
    deeds.edit(talk, first, "My cat is called Pepper.")
    assert {one.text for name in NAMES for one in table.log(name) if one.id == first} == {"My cat is called Pepper."}


def test_erasing_destroys_it_for_all_who_heard_it(table: Table) -> None:
    talk = table.talk()
    first = said(table, talk, "Everyone, " + SECRET)
    table.settle()
    found = deeds.plans(talk, first)
    assert set(found) == set(NAMES)
    with pytest.raises(PlanChangedError):
        deeds.erase(talk, first, "something else")
    assert set(deeds.erase(talk, first, deeds.mark_of(found))) == set(NAMES)
    for name in NAMES:
        assert "marmalade-17" not in known_by(table, name)
