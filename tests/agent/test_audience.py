"""What is for this computer only reaches no mind elsewhere: not on the wire, whichever way a prompt is made."""

import json
from collections.abc import Iterator
from datetime import date, timedelta
from random import Random
from typing import Any

import pytest

from agent.audience import DiscreetDreams
from agent.events import Failed, Received, Replied, TurnEvent
from agent.memories import Memories
from agent.services import Services, open_services
from managers.hygiene.inventory import mark, mark_said
from managers.hygiene.inventory import memories as active
from managers.memory.audience import AudienceStore, file_named, with_answers
from managers.memory.entities import Entity, Fact
from managers.memory.entity_cards import format_entity
from managers.memory.episodes import Episode
from managers.memory.errors import AudienceUnknownError, KeptHereError
from managers.memory.goals import Goal, Goals
from managers.memory.insights import Insight, Insights
from managers.memory.json_documents import write_plainly
from managers.memory.periods import Period, week_of
from managers.memory.questions import Question, Questions
from managers.memory.strategies import FailurePattern, Strategies
from managers.mind import Cancel
from managers.sleep.tasks import PeriodMaterial
from managers.storage.paths import Home, PersonaPaths
from tests.fakes import HandClock
from tests.model_server import ModelServer, Say, Tool
from tests.sleep.dreamers import SHEET, ScriptedDreamMind

NEMU = "ねむ"
SECRET = "翡翠色の手紙"
CLOUD, HERE = "test-model:cloud", "test-model"
"""Ollama passes models with this ending on to their makers' computers."""


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(plays=("openai",)) as playing:
        yield playing


@pytest.fixture
def services(own_home: Home, clock: HandClock, server: ModelServer) -> Iterator[Services]:
    services = open_services(own_home, clock, Random(3))
    speak_through(services, server, CLOUD)
    yield services
    services.close()


def speak_through(services: Services, server: ModelServer, model: str) -> None:
    services.settings_file.change(
        "mind", provider="openai", base_url=server.base_url, model=model, context_tokens=16_000
    )


def say(services: Services, text: str) -> list[TurnEvent]:
    companion = services.companion(NEMU)
    events = list(companion.say(text).events())
    companion.settle()
    return events


def told(services: Services, server: ModelServer, text: str) -> str:
    """Say something to the built-in mind; return the id that it got."""
    services.settings_file.change("mind", provider="builtin")
    events = say(services, text)
    speak_through(services, server, CLOUD)
    return next(event.message.id for event in events if isinstance(event, Received))


def begin_topic(services: Services) -> None:
    """Begin a topic, and wait for what the end of the conversation asks of the mind."""
    services.companion(NEMU).new_topic()
    services.companion(NEMU).settle()


def sent(server: ModelServer) -> str:
    return json.dumps([chat.body for chat in server.chats], ensure_ascii=False)


def remembered(memories: Memories, evidence: list[str], text: str = f"花さんは{SECRET}を書いた。") -> None:
    """Let every kind of memory tell the same."""
    day = date(2026, 11, 20)
    rests: dict[str, Any] = {"evidence": evidence, "mind": "built-in"}
    episode = Episode(date=day, summary=text, key_events=[text], key_event_evidence=[evidence], **rests).sealed()
    insight = Insight(
        id="in_1",
        created_at="2026-11-20 03:00:00",
        insight=text,
        strategy=text,
        trigger_topic=SECRET,
        log_entry=text,
        **rests,
    )
    question = Question(id="q_1", topic=SECRET, context=text, created_at="2026-11-20 03:00:00", **rests)
    goal = Goal(id="sh_1", goal=text, **rests)
    failure = FailurePattern(id="fp_1", kind="failure", pattern="x", mitigation=text, severity=2, **rests)
    card = Entity("花", "person", lines=(Fact(text, tuple(evidence), "built-in", "f_1", since="2026-11-20"),))
    memories.apply(
        {
            memories.episodes.path(day): episode.dump(),
            memories.entities.path("花"): format_entity(card).encode(),
            **Insights([insight]).changes(memories.paths.insights),
            **Questions([question]).changes(memories.paths.memory / "open_questions.json"),
            **Strategies([failure]).changes(memories.strategies.path),
            memories.paths.goals: json.dumps(Goals([goal]).plain(), ensure_ascii=False).encode(),
        },
        author="dream",
        reason="night",
    )


TOOLS = [
    Tool("recall_memories", {"query": "手紙を書いた"}, "c1"),
    Tool("search_past_conversations", {"query": "の手紙"}, "c2"),
    Tool("search_entity_memory", {"query": "花"}, "c3"),
    Tool("read_entity_memory", {"name": "花"}, "c4"),
]


def test_a_message_that_is_kept_stands_in_no_prompt_nor_does_what_rests_on_it(
    services: Services, server: ModelServer, clock: HandClock
) -> None:
    message = told(services, server, f"きのう、{SECRET}を書いたよ。")
    memories = services.memories(NEMU)
    remembered(memories, [message])
    memories.recall.keep_up()
    for is_kept in (False, True):
        begin_topic(services)
        server.requests.clear()
        server.enqueue(Say(tools=TOOLS), Say("うん。"))
        say(services, "きのう何を書いたか覚えてる?")
        assert len(server.chats) == 2
        assert (SECRET not in sent(server)) == is_kept
        memories.audiences.mark(message, "this-computer", with_answers(memories.log, [message]))
        clock.move(minutes=1)


@pytest.mark.parametrize("kind", ["day", "event", "insight", "fact"])
def test_a_memory_that_is_kept_takes_its_messages_and_all_that_rests_on_them_with_it(
    services: Services, server: ModelServer, kind: str
) -> None:
    message = told(services, server, f"きのう、{SECRET}を書いたよ。")
    begin_topic(services)
    memories = services.memories(NEMU)
    remembered(memories, [message])
    memories.recall.keep_up()
    memory = next(one for one in active(memories.working_copy()) if one.kind == kind)
    mark(memories.audiences, memories.log, memory, "this-computer")
    server.enqueue(Say("なにかな。"))
    say(services, "きのう何を書いたんだっけ?")
    assert SECRET not in sent(server)
    mark(memories.audiences, memories.log, memory, "any")
    server.enqueue(Say("手紙だよね。"))
    say(services, "きのう何を書いたんだっけ? 覚えてる?")
    assert SECRET in sent(server)


def test_what_a_person_wrote_without_any_message_is_kept_too(services: Services, server: ModelServer) -> None:
    memories = services.memories(NEMU)
    remembered(memories, [])
    memories.recall.keep_up()
    for memory in active(memories.working_copy()):
        mark(memories.audiences, memories.log, memory, "this-computer")
    server.enqueue(Say(tools=TOOLS[2:]), Say("なにかな。"))
    goals = memories.paths.goals
    goals.unlink()
    (memories.paths.memory / "open_questions.json").unlink()
    memories.strategies.path.unlink()
    say(services, "花さんは何を書いたんだっけ?")
    assert SECRET not in sent(server)


def test_a_mind_on_this_computer_is_given_all_of_it(services: Services, server: ModelServer) -> None:
    message = told(services, server, f"きのう、{SECRET}を書いたよ。")
    memories = services.memories(NEMU)
    memories.audiences.mark(message, "this-computer", [message])
    speak_through(services, server, HERE)
    server.enqueue(Say("うん。"))
    say(services, "何を書いたか覚えてる?")
    assert SECRET in sent(server)


def test_an_answer_to_a_message_that_is_kept_is_asked_of_nobody_elsewhere(
    services: Services, server: ModelServer
) -> None:
    message = told(services, server, f"きのう、{SECRET}を書いたよ。")
    companion = services.companion(NEMU)
    companion.memories.audiences.mark(message, "this-computer", [message])
    (failed,) = [event for event in companion.regenerate(message).events() if isinstance(event, Failed)]
    assert isinstance(failed.error, KeptHereError)
    assert server.chats == []
    events = list(companion.regenerate(message, built_in=True).events())
    assert [event.message.mind for event in events if isinstance(event, Replied)] == ["built-in"]
    companion.settle()


def test_where_nobody_can_tell_nothing_is_sent_and_the_message_is_safe(services: Services, server: ModelServer) -> None:
    memories = services.memories(NEMU)
    memories.paths.memory.mkdir(exist_ok=True)
    memories.audiences._path.write_text("{", "utf-8")
    events = say(services, "やあ。")
    (failed,) = [event for event in events if isinstance(event, Failed)]
    assert isinstance(failed.error, AudienceUnknownError)
    assert isinstance(events[0], Received)
    assert memories.log.tail(1)[0].text == "やあ。"
    assert server.chats == []
    assert memories.audiences._path.read_text("utf-8") == "{"


def test_a_night_gives_a_mind_elsewhere_the_rest_of_the_day(
    services: Services, server: ModelServer, clock: HandClock
) -> None:
    message = told(services, server, f"きのう、{SECRET}を書いたよ。")
    told(services, server, "きょうは弟の湊人と海へ行った。")
    memories = services.memories(NEMU)
    memories.audiences.mark(message, "this-computer", with_answers(memories.log, [message]))
    clock.move(days=1)
    services.sleeper(NEMU).dream(Cancel())
    assert server.chats
    assert "海へ行った" in sent(server)
    assert SECRET not in sent(server)


def test_of_a_day_on_which_all_is_kept_the_built_in_mind_dreams(
    services: Services, server: ModelServer, clock: HandClock
) -> None:
    told(services, server, f"きのう、{SECRET}を書いたよ。")
    memories = services.memories(NEMU)
    for one in memories.log.tail(9):
        memories.audiences.mark(one.id, "this-computer", [one.id])
    day = clock.now().date()
    clock.move(days=1)
    services.sleeper(NEMU).dream(Cancel())
    assert server.chats == []
    assert memories.episodes.get(day) is not None


def test_a_mark_is_a_change_that_can_be_taken_back(services: Services, server: ModelServer) -> None:
    message = told(services, server, f"きのう、{SECRET}を書いたよ。")
    memories = services.memories(NEMU)
    memories.audiences.mark(message, "this-computer", [message])
    assert message in memories.audiences.kept().messages
    memories.history.undo(memories.history.entries(1)[0].id, author="user")
    assert message not in memories.audiences.kept().messages


def test_a_week_in_brief_stands_in_a_prompt_unless_one_of_its_days_is_kept(
    services: Services, server: ModelServer
) -> None:
    memories = services.memories(NEMU)
    last_month = memories.clock.now().date() - timedelta(days=40)
    week = Period(
        date=str(week_of(last_month)), summary=f"{SECRET}の一週間", key_events=["x"], mind="built-in"
    ).sealed()
    day = Episode(date=last_month, summary="その日のこと", mind="user")
    periods = memories.episodes.periods
    memories.apply(
        {periods.path(week.span): week.dump(), memories.episodes.path(day.date): day.dump()}, author="dream", reason="x"
    )
    server.enqueue(Say("おはよう。"))
    say(services, "おはよう")
    assert f"{week.date}: {week.summary}" in sent(server)
    memories.audiences.mark("ep_x", "this-computer", [], last_month.isoformat())
    before = len(server.chats)
    server.enqueue(Say("こんばんは。"))
    say(services, "こんばんは")
    later = [json.dumps(chat.body, ensure_ascii=False) for chat in server.chats[before:]]
    assert later
    assert not any(week.summary in body for body in later)


# --- whole files


def files_that_tell(memories: Memories) -> list[str]:
    """Write the secret to both notes and to a document; return their paths."""
    for kind in ("core_memory", "notepad"):
        memories.notes.append(kind, f"花さんは{SECRET}を書いた。", author="user", reason="x")
    memories.paths.knowledge.mkdir(exist_ok=True)
    (memories.paths.knowledge / "letters.md").write_text(f"# 手紙\n{SECRET}は引き出しにある。", "utf-8")
    memories.recall.catch_up()
    return ["core_memory.txt", "notepad.txt", "knowledge/letters.md"]


FILE_TOOLS = [
    Tool("search_knowledge_base", {"query": "手紙はどこ"}, "c1"),
    Tool("recall_memories", {"query": "手紙を書いた"}, "c2"),
    Tool("edit_core_memory", {"operation": "append", "text": "紅茶が好き。"}, "c3"),
    Tool("edit_notepad", {"operation": "append", "text": "紅茶を買う。"}, "c4"),
]


def test_a_file_that_is_kept_stands_in_no_prompt_and_no_tool_tells_of_it(
    services: Services, server: ModelServer
) -> None:
    memories = services.memories(NEMU)
    paths = files_that_tell(memories)
    server.enqueue(Say("おはよう。"))
    say(services, "おはよう")
    assert SECRET in sent(server), "unmarked, they are given to any mind"
    for path in paths:
        assert file_named(memories.paths, path) == path
        memories.audiences.mark(path, "this-computer")
    before = len(server.chats)
    server.enqueue(Say(tools=FILE_TOOLS), Say("うん。"))
    say(services, "手紙はどこにあるの？")
    later = json.dumps([chat.body for chat in server.chats[before:]], ensure_ascii=False)
    assert len(server.chats) == before + 2
    assert SECRET not in later
    assert "このコンピューターの中だけのもの" in later
    assert "紅茶" not in memories.notes.read("core_memory").text
    for path in paths:
        memories.audiences.mark(path, "any")
    server.enqueue(Say("こんばんは。"))
    say(services, "こんばんは")
    assert SECRET in json.dumps(server.chats[-1].body, ensure_ascii=False)


def test_a_mind_on_this_computer_reads_files_that_are_kept(services: Services, server: ModelServer) -> None:
    memories = services.memories(NEMU)
    for path in files_that_tell(memories):
        memories.audiences.mark(path, "this-computer")
    speak_through(services, server, HERE)
    server.enqueue(Say("おはよう。"))
    say(services, "おはよう")
    assert SECRET in sent(server)


@pytest.mark.parametrize(
    "path", ["log.txt", "SystemPrompt.txt", "../core_memory.txt", "knowledge/none.md", "knowledge/"]
)
def test_no_other_file_is_marked(services: Services, path: str) -> None:
    assert file_named(services.memories(NEMU).paths, path) is None


def test_a_week_is_kept_with_any_message_of_its_days(services: Services) -> None:
    memories = services.memories(NEMU)
    said = memories.log.append("user", "花", "秘密の話", message_id="from-elsewhere")
    mark_said(memories.audiences, memories.log, said.id, "this-computer")
    kept = memories.audiences.kept()
    week = Period(date=str(week_of(said.time.date())), summary="その週", mind="built-in").sealed()
    other = Period(date=str(week_of(said.time.date() - timedelta(days=14))), summary="別の週", mind="built-in").sealed()
    assert kept.other_periods([week, other]) == [other]
    assert kept.holds_passage((), f"episodic_memory/{week.date}.json")


@pytest.mark.parametrize(("marked", "asked"), [("m0", "here"), ("other", "elsewhere")])
def test_a_week_of_which_a_day_was_marked_in_the_night_is_told_by_the_mind_of_this_computer(
    paths: PersonaPaths, marked: str, asked: str
) -> None:
    days = [Episode(date=date(2026, 11, 2 + n), summary="x", evidence=[f"m{n}"], mind="built-in") for n in range(2)]
    elsewhere, here = ScriptedDreamMind("elsewhere"), ScriptedDreamMind("here")
    audiences = AudienceStore(paths, write_plainly(paths))
    dreams = DiscreetDreams(elsewhere, here, audiences)
    audiences.mark(marked, "this-computer", [marked])
    dreams.summarise_period(PeriodMaterial(SHEET, week_of(days[0].date), tuple(days)), Cancel())
    assert [one.name for one in (elsewhere, here) if one.calls] == [asked]


def test_what_is_marked_while_a_night_goes_on_is_given_to_no_mind_elsewhere(
    services: Services, server: ModelServer, clock: HandClock
) -> None:
    told(services, server, "きょうは弟の湊人と海へ行った。")
    message = told(services, server, f"きのう、{SECRET}を書いたよ。")
    clock.move(days=1)
    memories = services.memories(NEMU)
    night = services.sleeper(NEMU).dreamer()
    memories.audiences.mark(message, "this-computer", with_answers(memories.log, [message]))
    night.dream()
    assert "海へ行った" in sent(server)
    assert SECRET not in sent(server)
