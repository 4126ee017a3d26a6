"""A conversation of the user with three: who answers, what each hears and remembers, who comes, goes and is stopped."""

import pytest

from agent.companion import Companion
from agent.errors import GroupSizeError, NotInGroupError, StillAnsweringError, TwiceInGroupError
from agent.events import Failed, Speaking
from agent.group import deeds
from agent.group.conversation import GroupConversation
from agent.turn import Turn
from managers.exchange.exports.chat import as_transcript
from managers.exchange.readers.transcript import message_of
from managers.groups import GroupStore
from managers.hygiene.errors import PlanChangedError
from managers.memory.errors import MessageNotFoundError
from managers.memory.messages import Message
from managers.mind import ReplyPiece, ReplyRequest, TextPiece
from managers.personas.errors import GuestError, PersonaNotFoundError
from managers.sessions.records import ThreadRecord
from managers.storage.files import read_bytes
from tests.agent.conftest import sure
from tests.agent.group.conftest import NAMES, Table, everything, known_by, replies


def test_everybody_hears_and_each_log_is_the_persona_s_own(table: Table) -> None:
    talk = table.talk()
    answered = table.round(talk, "Hello everyone, I am Sara.")
    assert [who for who, _ in answered] == list(NAMES)
    logs = {name: table.log(name) for name in NAMES}
    assert len({tuple(one.id for one in log) for log in logs.values()}) == 1
    for name, log in logs.items():
        assert [one.role for one in log] == ["user", *("persona" if who == name else "other" for who in NAMES)]
        assert {one.present for one in log} == {NAMES}
        assert {one.group for one in log} == {talk.id}
        assert "## AGENT:Clari" in table.memories(name).paths.log.read_text("utf-8")
        lines = "".join(as_transcript(log)).encode().splitlines()
        assert [message_of(line).role for line in lines] == [one.role for one in log], "and so does a transcript"


def test_others_words_are_quoted_and_never_the_user_s(table: Table) -> None:
    table.scripted("Lumi", "I adored the ending.", "As I said.")
    mind = table.scripted("Clari", "The uniforms were wrong.", "Still wrong.")
    talk = table.talk()
    table.round(talk, "Lumi and Clari, how was the film?")
    (asked,) = mind.requests
    since = [turn for turn in asked.turns if "I adored the ending." in turn.quoted]
    assert len(since) == 1
    assert since[0].text == ""
    assert "> I adored the ending." in since[0].quoted
    assert "Lumi" in since[0].quoted.splitlines()[0]
    table.round(talk, "Clari, and the music?")
    heard = next(turn for turn in mind.requests[-1].turns if "I adored the ending." in turn.quoted)
    assert heard.text == ""
    own = [turn.text for turn in mind.requests[-1].turns if turn.role == "persona"]
    assert own == ["The uniforms were wrong."]


def test_a_model_that_writes_another_s_line_is_cut_there_and_skipped_if_it_says_nothing_else(table: Table) -> None:
    mind, talk, amiss = table.scripted("Clari"), table.talk(), list[str]()
    for said, kept in (
        ("I agree.\nLumi: No, I don't!", "I agree."),
        ("Clari: I agree.\n\n**Noxx**: gossip", "I agree."),
        ("I agree.\nUser: thank you", "I agree."),
        ("I agree.\nユーザー：ありがとう", "I agree."),
        ("I agree.\n## AGENT:Lumi\nI don't", "I agree."),
        ("I agree with Lumi: it was fine.", "I agree with Lumi: it was fine."),
    ):
        mind.enqueue([TextPiece(said[at : at + 3]) for at in range(0, len(said), 3)])
        events = list(talk.say("Only Clari, please: what do you say?").events())
        spoken = "".join(event.text for event in events if isinstance(event, Speaking))
        replied = [reply.text.strip() for _, reply in replies(events)]
        amiss += [said] * ((spoken.strip(), replied) != (kept, [kept]))
        table.clock.move(seconds=20)
    assert amiss == []
    table.minds.clear()
    table.scripted("Lumi", "Noxx: I know a rumour.")
    events = list(talk.say("Everyone may talk again. I saw a film.").events())
    assert [type(one.error).__name__ for one in events if isinstance(one, Failed)] == ["SpokeForOthersError"]
    assert "Lumi" not in [who for who, _ in replies(events)]


def test_stop_and_skip(table: Table) -> None:
    talk = table.talk()

    def skip(_: ReplyRequest) -> ReplyPiece:
        assert talk.turn is not None
        talk.turn.skip()
        return TextPiece("Let me")

    def stop(_: ReplyRequest) -> ReplyPiece:
        assert talk.turn is not None
        talk.turn.stop()
        return TextPiece("And I")

    table.scripted("Lumi").enqueue([skip, TextPiece(" go on for ever")])
    table.scripted("Clari").enqueue([stop, TextPiece(" too")])
    table.scripted("Noxx")
    answered = replies(list(talk.say("Everyone, tell me something.").events()))
    assert [(by, one.text, one.stopped) for by, one in answered] == [("Lumi", "Let me", True), ("Clari", "And I", True)]
    assert [one.text for one in table.log("Noxx")] == ["Everyone, tell me something.", "Let me", "And I"]


def test_who_left_hears_nothing_and_who_comes_knows_nothing_of_before(table: Table) -> None:
    talk = table.talk("Lumi", "Clari")
    table.round(talk, "My locker code is 4711, everyone.")
    talk.invite("Noxx")
    talk.leave("clari")
    mind = table.scripted("Noxx", "Hello.", "I do not know.")
    table.round(talk, "Noxx, hello. My cat is called Mugi.")
    table.round(talk, "Noxx, what is my code?")
    assert not any("4711" in everything(request) for request in mind.requests)
    assert "4711" not in table.memories("Noxx").paths.log.read_text("utf-8")
    assert "Mugi" not in table.memories("Clari").paths.log.read_text("utf-8")
    assert (here := [one for turn in mind.requests[-1].turns for one in turn.quoted.splitlines() if "Lumi" in one])
    assert not any("Clari" in one for one in here)
    assert next(one.text for one in talk.messages()) == "My locker code is 4711, everyone.", "the user sees all of it"
    with pytest.raises(NotInGroupError):
        talk.leave("Clari")
    talk.leave("Lumi")
    with pytest.raises(GroupSizeError):
        talk.leave("Noxx")


def test_who_leaves_while_another_speaks_does_not_hear_it(table: Table) -> None:
    talk = table.talk()

    def go(_: ReplyRequest) -> ReplyPiece:
        talk.leave("Noxx")
        return TextPiece("Between us.")

    table.scripted("Lumi").enqueue([go])
    answered = table.round(talk, "Lumi and Noxx, a word?")
    assert [who for who, _ in answered] == ["Lumi"]
    assert "Between us." not in table.memories("Noxx").paths.log.read_text("utf-8")


def test_who_may_sit_at_the_table(table: Table) -> None:
    guest = table.services.home.characters / "Guest"
    guest.mkdir()
    (guest / "persona.json").write_text("{}", "utf-8")
    for names, error in (
        (("Lumi",), GroupSizeError),
        (("Lumi", "lumi"), TwiceInGroupError),
        (("Lumi", "Nobody"), PersonaNotFoundError),
        (("Lumi", "Clari", "Noxx", "Hazel", "ねむ", "Sixth"), GroupSizeError),
        (("Lumi", "Guest"), GuestError),
    ):
        with pytest.raises(error):
            table.talk(*names)


def test_a_log_that_cannot_be_written_keeps_one_out_and_not_the_others(table: Table) -> None:
    talk = table.talk()
    log = table.memories("Clari").paths.log
    log.mkdir()
    answered = table.round(talk, "Hello everyone.")
    assert [who for who, _ in answered] == ["Lumi", "Noxx"]


def test_one_round_at_a_time_and_a_form_sent_twice_is_said_once(table: Table) -> None:
    talk = table.talk()

    def again(_: ReplyRequest) -> ReplyPiece:
        with pytest.raises(StillAnsweringError):
            talk.say("And another thing.")
        return TextPiece("One at a time.")

    table.scripted("Lumi").enqueue([again])
    first = talk.say("Lumi, hello.", nonce="n1")
    assert talk.say("Lumi, hello.", nonce="n1") is first
    assert table.answers(first) == [("Lumi", "One at a time.")]
    assert len([one for one in table.log("Lumi") if one.role == "user"]) == 1


def test_what_was_just_said_is_forgotten_by_all_and_is_none_of_what_one_was_told_alone(table: Table) -> None:
    talk = table.talk()
    table.round(talk, "Everyone, my sister is called Hanako.")
    table.clock.move(minutes=2)
    list(table.services.companion("Lumi").say("My password hint is the blue heron.").events())
    table.settle()
    table.clock.move(minutes=2)
    table.round(talk, "Lumi, please forget what I just said.")
    for name in NAMES:
        assert not any("Hanako" in one.text for one in table.log(name)), name
    assert any("blue heron" in one.text for one in table.log("Lumi"))


def test_it_goes_on_after_a_restart_and_a_damaged_file_of_conversations_costs_no_word(table: Table) -> None:
    talk = table.talk()
    table.round(talk, "I saw a film.")
    store = GroupStore(table.services.home, table.clock, table.services.rng)
    assert [one.id for one in store.with_present(["Noxx", "Lumi", "Clari"])] == [talk.id]
    assert store.all()[0].domain == "movie"
    table.clock.move(days=1)
    table.round(talk, "Good morning, everyone.")
    assert store.all()[0].thread_id == 2
    table.services.home.groups.write_text("{ damaged", "utf-8")
    other = table.talk()
    assert other.id != talk.id
    assert list(table.services.home.folder.glob("groups.json.broken-*"))
    assert {who for who, _ in table.round(other, "Everyone, again?")} == set(NAMES)
    assert len(table.round(other, "Everyone, I want to die.")) == 1, "danger is met by one"


def test_what_a_killed_process_wrote_for_some_only_all_know_with_the_next_message(table: Table) -> None:
    talk = table.talk()
    table.round(talk, "Hello everyone.")
    table.clock.move(minutes=1)
    half = Message("g-1", table.clock.now(), "user", "Sara", "My cat is called Mugi.", present=NAMES, group=talk.id)
    table.services.companion("Lumi").overhear(half)
    table.clock.move(minutes=1)
    talk.leave("Noxx")
    talk.invite("Noxx")
    table.clock.move(minutes=1)
    table.round(talk, "Clari, are you there?")
    assert "Mugi" in next(one.text for one in table.log("Clari") if one.id == "g-1")
    assert [one.id for one in table.log("Clari")].index("g-1") == 4
    assert not any(one.id == "g-1" for one in table.log("Noxx")), "who went in between is not told"


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


def test_an_edit_cut_off_reads_as_not_done_and_is_done_once_more(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
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


@pytest.mark.slow
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
