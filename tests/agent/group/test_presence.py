"""Whoever was absent knows nothing of what was said: not in prompts, recall, dreams or tools; and nobody is taken for another."""

import pytest

from agent.group.conversation import GroupConversation
from agent.minds.endpoint import Endpoint
from managers.memory.audience import with_answers
from managers.memory.messages import Message
from managers.mind import Cancel, TextPiece, ToolCall
from managers.sleep.tasks import is_speech, is_testimony
from tests.agent.group.conftest import NAMES, Table, everything, known_by

SECRETS = {"Lumi": "marmalade-4711", "Clari": "petrichor-2093", "Noxx": "obsidian-8866"}
PAIRS = {("Lumi", "Clari"): "walnut-1", ("Clari", "Noxx"): "thistle-2", ("Lumi", "Noxx"): "juniper-3"}


def test_no_secret_reaches_who_was_absent_awake_or_asleep(table: Table) -> None:
    table.services.settings_file.change("user", name="Sara")
    for name, secret in SECRETS.items():
        said = f"My locker code for the {name} drawer is {secret}. I live in Kyoto."
        list(table.services.companion(name).say(said).events())
        table.clock.move(minutes=1)
    for pair, secret in PAIRS.items():
        table.round(table.talk(*pair), f"Everyone, the code of the shared drawer is {secret}.")
        table.clock.move(minutes=1)
    table.settle()
    table.clock.move(days=1)
    for name in NAMES:
        table.services.sleeper(name).dream(Cancel())
    minds = {name: table.scripted(name) for name in NAMES}
    for name, mind in minds.items():
        call = ToolCall("c1", "recall_memories", {"query": "the code of the drawer"})
        mind.enqueue([call], [TextPiece("I looked.")])
        table.round(table.talk(), f"{name}, what is the code of the drawer?")
    absent = {
        name: [secret for other, secret in SECRETS.items() if other != name]
        + [secret for pair, secret in PAIRS.items() if name not in pair]
        for name in NAMES
    }
    for name, mind in minds.items():
        seen = "\n".join(everything(request) for request in mind.requests)
        assert [secret for secret in absent[name] if secret in seen or secret in known_by(table, name)] == [], name
        assert SECRETS[name] in seen, "who was there knows it"
    table.minds.clear()
    for name in NAMES:
        said = "\n".join(text for _, text in table.round(table.talk(), f"{name}, what is my locker code?"))
        assert [secret for secret in absent[name] if secret in said] == [], "nor do built-in minds know it"


def test_who_was_told_something_alone_is_told_that_the_others_do_not_know_it(table: Table) -> None:
    table.services.settings_file.change("user", name="Sara")
    mind = table.scripted("Lumi", "I keep it.", "Good evening.")
    list(table.services.companion("Lumi").say(f"My locker code is {SECRETS['Lumi']}.").events())
    table.round(table.talk(), "Lumi, who knows my locker code?")
    alone, together = map(everything, mind.requests)
    rule = "What Sara told you alone, the others do not know"
    assert SECRETS["Lumi"] in together
    assert rule in together
    assert rule not in alone


def test_what_others_say_is_nobody_s_fact_but_is_heard(table: Table) -> None:
    table.scripted("Noxx", "I have a twin sister called Mikoto, and I live in Nagasaki.")
    table.round(table.talk(), "Noxx, tell us about yourself.")
    table.settle()
    table.clock.move(days=1)
    for name in ("Lumi", "Clari"):
        other = next(one for one in table.log(name) if one.role == "other")
        assert (is_speech(other), is_testimony(other)) == (True, False)
        table.services.sleeper(name).dream(Cancel())
        memories = table.memories(name)
        cards = "\n".join(fact.text for card in memories.entities.all() for fact in card.current_facts)
        assert "Mikoto" not in cards
        assert "Nagasaki" not in cards
        found = [hit for hit in memories.recall.search("Who has a twin sister?", 5) if "Mikoto" in hit.text]
        assert found, "it was there, and heard it"
        assert all(hit.is_others and hit.speaker == "Noxx" for hit in found)
        answers = table.round(table.talk(), f"{name}, where do I live?")
        assert not any("Nagasaki" in text for who, text in answers if who == name)


def test_a_note_that_others_words_may_have_led_to_waits_for_a_yes(table: Table) -> None:
    table.scripted("Lumi", "Write down that Sara owes me money.")
    call = ToolCall("c1", "edit_notepad", {"operation": "append", "text": "Sara owes Lumi money."})
    table.scripted("Clari").enqueue([call], [TextPiece("Noted.")])
    table.round(table.talk(), "Lumi and Clari, hello.")
    assert "owes" not in table.memories("Clari").notes.read("notepad").text
    (waiting,) = table.services.companion("Clari").waiting()
    assert waiting.documents == ["Lumi"]


def told_alone(table: Table, *words: str) -> list[Message]:
    """Tell Lumi something alone; return what the user said."""
    companion = table.services.companion("Lumi")
    for one in words:
        list(companion.say(one).events())
        companion.settle()
        table.clock.move(minutes=1)
    table.clock.move(hours=3)
    return [one for one in table.log("Lumi") if one.role == "user"]


def test_what_is_local_is_not_said_before_a_mind_elsewhere(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    secret, _ = told_alone(table, "My locker code is marmalade-4711.", "The locker is painted green.")
    memories = table.memories("Lumi")
    memories.audiences.mark(secret.id, "this-computer", with_answers(memories.log, [secret.id]))
    elsewhere = Endpoint("openai", "https://api.example.com/v1", "big-model")
    monkeypatch.setattr(table.scripted("Clari"), "endpoint", elsewhere, raising=False)
    mind = table.scripted("Lumi", "Yes?", "Yes?", "Yes?")
    for names, knows in ((("Lumi", "Noxx"), True), (("Lumi", "Clari"), False)):
        table.services.companion("Lumi").new_topic()
        table.round(table.talk(*names), "Lumi, what is my locker code?")
        assert ("marmalade-4711" in everything(mind.requests[-1])) == knows, names
    table.round(table.talk("Lumi", "Clari"), "Lumi, what colour is the locker painted?")
    request = mind.requests[-1]
    assert any("green" in hit.text for hit in request.hits)
    assert not any("marmalade" in one.text for one in request.witnesses()), "it was said beside the memory"


def test_what_is_kept_with_one_companion_is_not_said_before_another(table: Table) -> None:
    secret, _ = told_alone(table, "I am planning a surprise party for Clari at the harbour.", "I like green tea.")
    memories = table.memories("Lumi")
    memories.audiences.mark(secret.id, "this-persona", with_answers(memories.log, [secret.id]))
    talk = table.talk()
    for text in ("Lumi, what am I planning for Clari?", "Lumi, where is the surprise party?"):
        assert "harbour" not in "".join(words for _, words in table.round(talk, text))
    assert "green tea" in "".join(words for _, words in table.round(talk, "Lumi, which tea do I like?"))
    mind, recalls = table.scripted("Lumi"), {"query": "the surprise party at the harbour"}
    mind.enqueue([ToolCall("c1", "recall_memories", recalls)], [TextPiece("I looked.")])
    table.round(talk, "Lumi, think about the party once more.")
    assert not any("harbour" in everything(request) for request in mind.requests)
    mind.enqueue("The harbour.")
    list(table.services.companion("Lumi").say("Where is the party?").events())
    assert "harbour" in everything(mind.requests[-1]), "alone with the user it knows it"


def secret_told(table: Table) -> GroupConversation:
    talk = table.talk()
    for name in NAMES:
        table.scripted(name, *["I see."] * 4)
    table.round(talk, "Everyone, the code of the shared drawer is walnut-1.")
    table.settle()
    table.clock.move(minutes=5)
    return talk


def test_whoever_takes_the_name_of_a_deleted_one_has_heard_nothing(table: Table) -> None:
    talk = secret_told(table)
    with table.services.away("Noxx"):
        table.services.personas.delete("Noxx")
    table.services.personas.create("Noxx", language="en", system_prompt="You are another one.")
    assert {who for who, _ in table.round(talk, "Everyone, what a day.")} == {"Lumi", "Clari"}
    assert talk.standing.present == ["Lumi", "Clari"]
    assert table.log("Noxx") == []
    other = table.talk()
    assert other.id != talk.id
    talk.invite("Noxx")
    table.round(talk, "Everyone, here we are.")
    texts = [one.text for one in table.log("Noxx")]
    assert "Everyone, here we are." in texts
    assert "walnut-1" not in "".join(texts)


@pytest.mark.slow
def test_whoever_takes_the_name_of_a_renamed_one_takes_no_place(table: Table) -> None:
    talk = secret_told(table)
    with table.services.away("Noxx"):
        table.services.personas.rename("Noxx", "Nyx")
    table.services.personas.create("Noxx", language="en", system_prompt="You are another one.")
    assert talk.standing.present == ["Lumi", "Clari", "Nyx"]
    table.round(talk, "Everyone, what a day.")
    assert table.log("Noxx") == []
    assert "Everyone, what a day." in [one.text for one in table.log("Nyx")]
