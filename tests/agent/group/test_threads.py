"""One topic, one thread: interrupted, come back to, told to those who heard all of it, and made anew of what is left."""

from managers.sessions.records import ThreadRecord
from tests.agent.conftest import sure
from tests.agent.group.conftest import NAMES, Table, everything

FILM = ("I saw a film about a lighthouse keeper.", "The keeper's lamp was painted vermilion.")


def threads(table: Table) -> list[int]:
    return [one.thread for one in table.log("Lumi") if one.role == "user"]


def test_an_interrupted_topic_is_come_back_to(table: Table) -> None:
    talk, kept = table.talk(), list[ThreadRecord]()
    talk.topics.keep = kept.append
    table.tell(talk, *FILM, "Sorry to interrupt, the oven is ringing and my bread has to come out.")
    assert threads(table) == [1, 1, 2]
    assert [one.is_open for one in talk.standing.threads] == [True, False]
    mind = table.scripted("Lumi", "The lamp, yes.")
    table.round(talk, "Lumi, let's get back to what we said about the film.")
    assert threads(table) == [1, 1, 2, 1]
    assert {one.thread for one in table.log("Noxx")[-2:]} == {1}, "the answer is on the same topic"
    standing = talk.standing
    assert (standing.thread_id, standing.domain) == (1, "movie")
    resumed = sure(sure(mind.requests[-1].company).resumed)
    assert "vermilion" in resumed.summary
    assert resumed.turns[0].text == FILM[0]
    prompt = everything(mind.requests[-1])
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
    table.tell(talk, FILM[0])
    talk.leave("Noxx")
    table.tell(talk, FILM[1])
    talk.invite("Noxx")
    table.tell(talk, "Hold on, my sister is calling.")
    minds = {name: table.scripted(name, "Yes.") for name in ("Lumi", "Noxx")}
    table.round(talk, "Lumi and Noxx, back to the film with the keeper.")
    told = {name: sure(mind.requests[-1].company).resumed for name, mind in minds.items()}
    assert [name for name, resumed in told.items() if resumed] == ["Lumi"]
    assert "vermilion" in everything(minds["Lumi"].requests[-1])
    assert "vermilion" not in everything(minds["Noxx"].requests[-1])


def test_a_topic_is_not_told_to_another_persona_of_the_same_name(table: Table) -> None:
    talk = table.talk()
    table.tell(talk, *FILM)
    with table.services.away("Noxx"):
        table.services.personas.delete("Noxx")
    table.services.personas.create("Noxx", language="en", system_prompt="You are another Noxx.")
    talk.invite("Noxx")
    table.tell(talk, "Hold on, my sister is calling.")
    mind = table.scripted("Noxx", "Yes?")
    table.round(talk, "Noxx, back to the film with the keeper.")
    assert "vermilion" not in everything(mind.requests[-1])


def test_what_is_gone_is_gone_from_what_is_told_of_a_topic(table: Table) -> None:
    talk = table.talk()
    table.tell(talk, *FILM, "Hold on, my sister is calling.")
    gone = next(one for one in table.log("Lumi") if one.text == FILM[1])
    for name in NAMES:
        table.services.companion(name).delete(gone.id)
    mind = table.scripted("Lumi", "The film, yes.")
    table.round(talk, "Lumi, back to the film.")
    resumed = sure(sure(mind.requests[-1].company).resumed)
    assert "lighthouse" in resumed.summary
    assert "vermilion" not in resumed.summary
    assert "vermilion" not in everything(mind.requests[-1])


def test_after_a_pause_another_topic_begins_and_japanese_comes_back_too(table: Table) -> None:
    talk = table.talk()
    table.tell(talk, "昨日、灯台守の映画を見たよ。", "ちょっと待って、宅配便が来た。", "さっきの映画の話に戻ろう。")
    assert threads(table) == [1, 2, 1]
    table.clock.move(hours=9)
    table.tell(talk, "おはよう。今日は銀行の面接があるんだ。")
    assert threads(table)[-1] == 3
