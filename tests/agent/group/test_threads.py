"""One topic, one thread: interrupted, come back to, told to those who heard all of it, and made anew of what is left."""

import pytest

from agent.group.conversation import GroupConversation
from managers.mind import ReplyRequest
from managers.sessions.records import ThreadRecord
from tests.agent.group.conftest import NAMES, Table


def all_of(request: ReplyRequest) -> str:
    return "\n".join([request.system, *(f"{turn.quoted}\n{turn.text}" for turn in request.turns)])


def threads(table: Table, name: str = "Lumi") -> list[int]:
    return [one.thread for one in table.log(name) if one.role == "user"]


def spoken_of(table: Table, talk: GroupConversation, *texts: str) -> None:
    for text in texts:
        table.round(talk, text)


FILM = ("I saw a film about a lighthouse keeper.", "The keeper's lamp was painted vermilion.")


@pytest.fixture
def kept(table: Table) -> list[ThreadRecord]:
    records: list[ThreadRecord] = []
    table.talk().topics.keep = records.append
    return records


def test_an_interrupted_topic_is_come_back_to(table: Table, kept: list[ThreadRecord]) -> None:
    talk = table.talk()
    spoken_of(table, talk, *FILM, "Sorry to interrupt, the oven is ringing and my bread has to come out.")
    assert threads(table) == [1, 1, 2]
    assert [one.is_open for one in talk.standing.threads] == [True, False]
    mind = table.scripted("Lumi", "The lamp, yes.")
    table.round(talk, "Lumi, let's get back to what we said about the film.")
    assert threads(table) == [1, 1, 2, 1]
    assert {one.thread for one in table.log("Noxx")[-2:]} == {1}, "the answer is on the same topic"
    standing = talk.standing
    assert (standing.thread_id, standing.domain) == (1, "movie")
    company = mind.requests[-1].company
    assert company is not None
    assert company.resumed is not None
    assert "vermilion" in company.resumed.summary
    assert company.resumed.turns[0].text == FILM[0]
    prompt = all_of(mind.requests[-1])
    assert "> " in prompt
    assert "This topic so far" in prompt
    talk.close()
    assert [one.thread_id for one in kept] == [1, 2]
    assert kept[0].domain == "movie"
    assert kept[0].present == [*NAMES]
    assert "lighthouse keeper" in " ".join(kept[0].keywords).lower()
    assert len(kept[0].embedding) == kept[0].dimension > 0


def test_a_topic_is_not_told_to_whoever_was_absent_from_part_of_it(table: Table) -> None:
    talk = table.talk()
    spoken_of(table, talk, FILM[0])
    talk.leave("Noxx")
    spoken_of(table, talk, FILM[1])
    talk.invite("Noxx")
    spoken_of(table, talk, "Hold on, my sister is calling.")
    minds = {name: table.scripted(name, "Yes.") for name in ("Lumi", "Noxx")}
    table.round(talk, "Lumi and Noxx, back to the film with the keeper.")
    told = {name: mind.requests[-1].company for name, mind in minds.items()}
    assert told["Lumi"] is not None
    assert told["Lumi"].resumed is not None
    assert told["Noxx"] is not None
    assert told["Noxx"].resumed is None
    assert "vermilion" in all_of(minds["Lumi"].requests[-1])
    assert "vermilion" not in all_of(minds["Noxx"].requests[-1])


def test_a_topic_is_not_told_to_another_persona_of_the_same_name(table: Table) -> None:
    talk = table.talk()
    spoken_of(table, talk, *FILM)
    with table.services.away("Noxx"):
        table.services.personas.delete("Noxx")
    table.services.personas.create("Noxx", language="en", system_prompt="You are another Noxx.")
    talk.invite("Noxx")
    spoken_of(table, talk, "Hold on, my sister is calling.")
    mind = table.scripted("Noxx", "Yes?")
    table.round(talk, "Noxx, back to the film with the keeper.")
    assert "vermilion" not in all_of(mind.requests[-1])


def test_what_is_gone_is_gone_from_what_is_told_of_a_topic(table: Table) -> None:
    talk = table.talk()
    spoken_of(table, talk, *FILM, "Hold on, my sister is calling.")
    gone = next(one for one in table.log("Lumi") if one.text == FILM[1])
    for name in NAMES:
        table.services.companion(name).delete(gone.id)
    mind = table.scripted("Lumi", "The film, yes.")
    table.round(talk, "Lumi, back to the film.")
    company = mind.requests[-1].company
    assert company is not None
    assert company.resumed is not None
    assert "lighthouse" in company.resumed.summary
    assert "vermilion" not in company.resumed.summary
    assert "vermilion" not in all_of(mind.requests[-1])


def test_after_a_pause_another_topic_begins_and_japanese_comes_back_too(table: Table) -> None:
    talk = table.talk()
    spoken_of(
        table, talk, "昨日、灯台守の映画を見たよ。", "ちょっと待って、宅配便が来た。", "さっきの映画の話に戻ろう。"
    )
    assert threads(table) == [1, 2, 1]
    table.clock.move(hours=9)
    spoken_of(table, talk, "おはよう。今日は銀行の面接があるんだ。")
    assert threads(table)[-1] == 3
