"""What is for this computer only reaches no mind or embedder elsewhere: not on the wire, whichever way a prompt is made."""

import json
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from agent.audience import DiscreetDreams, let_be_for
from agent.events import Failed, Received, Replied
from agent.exporting import ExportWishes, export
from agent.memories import Memories
from agent.services import Services
from agent.tools.catalogue import Found, Nothing
from agent.tools.context import ToolContext
from agent.tools.entity_tools import EntityName, list_entity_memories, read_entity_memory
from agent.tools.search_tools import Query, recall_memories, search_entity_memory, search_knowledge_base
from commands.line import run
from managers.hygiene.inventory import memories as active
from managers.memory.audience import NOTHING_KEPT, AudienceStore, file_named, with_answers
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
from managers.recall.embedders import gemini
from managers.recall.embedders.gemini import GeminiEmbedder
from managers.sleep.autonomy import Occasion
from managers.sleep.tasks import PeriodMaterial
from managers.storage.paths import PersonaPaths
from managers.storage.settings import GEMINI
from tests.agent.conftest import CLOUD, HERE, NEMU, answer, heard, say, speak_through
from tests.fakes import HandClock
from tests.model_server import ModelServer, Say, Tool
from tests.recall.embedding_server import EmbeddingServer, serving
from tests.sleep.dreamers import SHEET, ScriptedDreamMind

SECRET = "翡翠色の手紙"
LOSS = "きのう、母の千代が亡くなった。涙が止まらない。"


def told(services: Services, server: ModelServer, text: str) -> str:
    """Say something to the built-in mind; return the id that it got."""
    services.settings_file.change("mind", provider="builtin")
    events = say(services, text)
    speak_through(services, server, CLOUD)
    return heard(events)


def begin_topic(services: Services, persona: str = NEMU) -> None:
    """Begin a topic, and wait for what the end of the conversation asks of the mind."""
    services.companion(persona).new_topic()
    services.companion(persona).settle()


def sent(server: ModelServer, since: int = 0) -> str:
    return json.dumps([chat.body for chat in server.chats[since:]], ensure_ascii=False)


def remembered(memories: Memories, evidence: list[str], text: str = f"花さんは{SECRET}を書いた。") -> None:
    """Let every kind of memory tell the same."""
    day, night = date(2026, 11, 20), "2026-11-20 03:00:00"
    rests: dict[str, Any] = {"evidence": evidence, "mind": "built-in"}
    episode = Episode(date=day, summary=text, key_events=[text], key_event_evidence=[evidence], **rests).sealed()
    insight = Insight(
        id="in_1", created_at=night, insight=text, strategy=text, trigger_topic=SECRET, log_entry=text, **rests
    )
    question = Question(id="q_1", topic=SECRET, context=text, created_at=night, **rests)
    failure = FailurePattern(id="fp_1", kind="failure", pattern="x", mitigation=text, severity=2, **rests)
    card = Entity("花", "person", lines=(Fact(text, tuple(evidence), "built-in", "f_1", since="2026-11-20"),))
    goals = Goals([Goal(id="sh_1", goal=text, **rests)]).plain()
    memories.apply(
        {
            memories.episodes.path(day): episode.dump(),
            memories.entities.path("花"): format_entity(card).encode(),
            **Insights([insight]).changes(memories.paths.insights),
            **Questions([question]).changes(memories.paths.memory / "open_questions.json"),
            **Strategies([failure]).changes(memories.strategies.path),
            memories.paths.goals: json.dumps(goals, ensure_ascii=False).encode(),
        },
        author="dream",
        reason="night",
    )
    memories.recall.keep_up()


TOOLS = [
    Tool("recall_memories", {"query": "手紙を書いた"}, "c1"),
    Tool("search_past_conversations", {"query": "の手紙"}, "c2"),
    Tool("search_entity_memory", {"query": "花"}, "c3"),
    Tool("read_entity_memory", {"name": "花"}, "c4"),
]


def test_no_prompt_holds_what_is_kept_or_rests_on_it(services: Services, server: ModelServer, clock: HandClock) -> None:
    message = told(services, server, f"きのう、{SECRET}を書いたよ。")
    memories = services.memories(NEMU)
    remembered(memories, [message])
    for is_kept in (False, True):
        begin_topic(services)
        server.requests.clear()
        server.enqueue(Say(tools=TOOLS), Say("うん。"))
        say(services, "きのう何を書いたか覚えてる?")
        assert len(server.chats) == 2
        assert (SECRET not in sent(server)) == is_kept
        memories.audiences.mark(message, "this-computer", with_answers(memories.log, [message]))
        clock.move(minutes=1)


def test_a_kept_memory_takes_its_messages_and_all_that_rests_on_them(services: Services, server: ModelServer) -> None:
    message = told(services, server, f"きのう、{SECRET}を書いたよ。")
    memories = services.memories(NEMU)
    remembered(memories, [message])
    for kind in ("day", "event", "insight", "fact"):
        begin_topic(services)
        memory = next(one for one in active(memories.working_copy()) if one.kind == kind)
        for audience, asked in (("this-computer", "きのう何を書いたんだっけ?"), ("any", "きのう何を書いたか覚えてる?")):
            let_be_for(memories, memory.id, audience)  # type: ignore[arg-type]
            server.requests.clear()
            server.enqueue(Say("なにかな。"))
            say(services, asked)
            assert (SECRET in sent(server)) == (audience == "any"), (kind, audience)


def test_what_a_person_wrote_without_any_message_is_kept_too(services: Services, server: ModelServer) -> None:
    memories = services.memories(NEMU)
    remembered(memories, [])
    for memory in active(memories.working_copy()):
        let_be_for(memories, memory.id, "this-computer")
    server.enqueue(Say(tools=TOOLS[2:]), Say("なにかな。"))
    for path in (memories.paths.goals, memories.paths.memory / "open_questions.json", memories.strategies.path):
        path.unlink()
    say(services, "花さんは何を書いたんだっけ?")
    assert SECRET not in sent(server)


def test_an_answer_to_a_kept_message_is_asked_of_nobody_elsewhere(services: Services, server: ModelServer) -> None:
    message = told(services, server, f"きのう、{SECRET}を書いたよ。")
    companion = services.companion(NEMU)
    audiences, history = companion.memories.audiences, companion.memories.history
    audiences.mark(message, "this-computer", [message])
    marked = history.entries(1)[0].id
    (failed,) = [event for event in companion.regenerate(message).events() if isinstance(event, Failed)]
    assert isinstance(failed.error, KeptHereError)
    assert server.chats == []
    events = list(companion.regenerate(message, built_in=True).events())
    assert [event.message.mind for event in events if isinstance(event, Replied)] == ["built-in"]
    companion.settle()
    with audiences.following():
        history.undo(marked, author="user")
    assert message not in audiences.kept().messages, "a mark is a change that can be taken back"


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


def test_a_day_marked_while_the_night_goes_on_counts(services: Services, server: ModelServer, clock: HandClock) -> None:
    message = told(services, server, f"きのう、{SECRET}を書いたよ。")
    told(services, server, "きょうは弟の湊人と海へ行った。")
    memories = services.memories(NEMU)
    clock.move(days=1)
    night = services.sleeper(NEMU).dreamer()
    memories.audiences.mark(message, "this-computer", with_answers(memories.log, [message]))
    night.dream()
    assert "海へ行った" in sent(server)
    assert SECRET not in sent(server)


def test_of_a_day_kept_whole_the_built_in_dreams(services: Services, server: ModelServer, clock: HandClock) -> None:
    told(services, server, f"きのう、{SECRET}を書いたよ。")
    memories = services.memories(NEMU)
    for one in memories.log.tail(9):
        memories.audiences.mark(one.id, "this-computer", [one.id])
    day = clock.now().date()
    clock.move(days=1)
    services.sleeper(NEMU).dream(Cancel())
    assert server.chats == []
    assert memories.episodes.get(day) is not None


def test_a_week_in_brief_stands_in_a_prompt_unless_a_day_of_it_is_kept(services: Services, server: ModelServer) -> None:
    memories = services.memories(NEMU)
    last_month = memories.clock.now().date() - timedelta(days=40)
    monday = str(week_of(last_month))
    week = Period(date=monday, summary=f"{SECRET}の一週間", key_events=["x"], mind="built-in").sealed()
    day = Episode(date=last_month, summary="その日のこと", mind="user")
    files = {memories.episodes.periods.path(week.span): week.dump(), memories.episodes.path(day.date): day.dump()}
    memories.apply(files, author="dream", reason="x")
    server.enqueue(Say("おはよう。"), Say("こんばんは。"))
    say(services, "おはよう")
    assert f"{week.date}: {week.summary}" in sent(server)
    memories.audiences.mark("ep_x", "this-computer", [], last_month.isoformat())
    before = len(server.chats)
    say(services, "こんばんは")
    assert len(server.chats) > before
    assert week.summary not in sent(server, before)


def test_an_answer_that_repeats_it_is_kept_with_it(services: Services, server: ModelServer, clock: HandClock) -> None:
    message = told(services, server, f"きのう、{SECRET}を書いたよ。")
    memories = services.memories(NEMU)
    let_be_for(memories, message, "this-computer")
    speak_through(services, server, HERE)
    server.enqueue(Say(f"{SECRET}でしたね。"))
    say(services, "何を書いたんだっけ?")
    speak_through(services, server, CLOUD)
    for is_kept in (True, False):
        clock.move(minutes=1)
        server.enqueue(Say("うん。"))
        say(services, f"そうだったね。{is_kept}")
        assert (SECRET in sent(server, -1)) != is_kept
        let_be_for(memories, message, "any")


# --- a message that stands in several logs


def told_to_both(services: Services, server: ModelServer) -> str:
    """Say something to both at once, to built-in minds; return the id that it has in both logs."""
    services.settings_file.change("mind", provider="builtin")
    talk = services.groups.of([NEMU, "Hazel"])
    texts = f"ねむもHazelも聞いて。きのう{SECRET}を書いたよ。", "ねむもHazelも聞いて。きょうは弟の湊人と海へ行った。"
    message, _ = (heard(list(talk.say(text).events())) for text in texts)
    for name in (NEMU, "Hazel"):
        services.companion(name).settle()
    speak_through(services, server, CLOUD)
    return message


def asked_everywhere(services: Services, server: ModelServer, clock: HandClock) -> str:
    """Let the other one be asked alone and in company, and dream; return what left this computer meanwhile."""
    before = len(server.chats)
    for number in range(2):
        clock.move(hours=5)
        begin_topic(services, "Hazel")
        server.enqueue(Say("なにかな。"))
        say(services, f"Hazel、きのう何を書いたか覚えてる? {number}", "Hazel")
    server.enqueue(*[Say("なにかな。")] * 4)
    list(services.groups.of([NEMU, "Hazel"]).say("ふたりとも、きのう何を書いたか覚えてる?").events())
    clock.move(days=1)
    services.sleeper("Hazel").dream(Cancel())
    assert "海へ行った" in sent(server, before)
    return sent(server, before)


@pytest.mark.parametrize("is_away", [False, True])
def test_what_is_kept_on_one_page_is_kept_for_all_who_heard_it_alone_in_company_and_at_night(
    services: Services, server: ModelServer, clock: HandClock, tmp_path: Path, is_away: bool
) -> None:
    message, folder = told_to_both(services, server), services.home.characters / "Hazel"
    with services.away("Hazel") if is_away else nullcontext():
        folder.rename(tmp_path / "Hazel") if is_away else None
        let_be_for(services.memories(NEMU), message, "this-computer")
        (tmp_path / "Hazel").rename(folder) if is_away else None
    assert SECRET not in asked_everywhere(services, server, clock)
    services.personas.duplicate("Hazel", "Twin")
    assert message in services.memories("Twin").audiences.kept().messages
    export(services.memories("Hazel"), tmp_path / "hazel.zip", ExportWishes("archive"), str)
    assert message in services.memories("Hazel").audiences.marked().messages, "it goes along to another computer"
    let_be_for(services.memories("Hazel"), message, "any")
    for name in (NEMU, "Hazel", "Twin"):
        assert not services.memories(name).audiences.kept().messages, name
    before = len(server.chats)
    server.enqueue(Say("なにかな。"))
    say(services, "きのう何を書いたんだっけ?")
    assert SECRET in sent(server, before)


def test_a_step_back_counts_for_all_and_equal_ids_elsewhere_do_not(services: Services, server: ModelServer) -> None:
    message, home = told_to_both(services, server), services.home
    memories, hazel = services.memories(NEMU), services.memories("Hazel")
    let_be_for(memories, message, "this-computer")
    entry = memories.history.entries(1)[0].id
    for step, is_kept in (("--undo", False), ("--redo", True)):
        assert run(["history", NEMU, step, entry, "--home", str(home.folder)]) == 0
        assert [(message in one.audiences.kept().messages) for one in (memories, hazel)] == [is_kept] * 2
    hazel.audiences.mark("u1", "this-computer", ["u1"])
    memories.audiences.mark("u1", "any", ["u1"])
    assert "u1" in hazel.audiences.kept().messages
    home.kept.write_text("{", "utf-8")
    with pytest.raises(AudienceUnknownError):
        hazel.audiences.kept()


# --- whole files


def files_that_tell(memories: Memories) -> list[str]:
    """Write the secret to both notes and to a document; return their paths."""
    for kind in ("core_memory", "notepad"):
        memories.notes.append(kind, f"花さんは{SECRET}を書いた。", author="user", reason="x")
    memories.paths.knowledge.mkdir(exist_ok=True)
    (memories.paths.knowledge / "letters.md").write_text(f"# 手紙\n{SECRET}は引き出しにある。", "utf-8")
    memories.recall.catch_up()
    return ["core_memory.txt", "notepad.txt", "knowledge/letters.md"]


def test_a_file_that_is_kept_stands_in_no_prompt_and_no_tool_tells_it(services: Services, server: ModelServer) -> None:
    memories = services.memories(NEMU)
    paths = files_that_tell(memories)
    server.enqueue(Say("おはよう。"))
    say(services, "おはよう")
    assert SECRET in sent(server), "unmarked, they are given to any mind"
    for path in paths:
        assert file_named(memories.paths, path) == path
        memories.audiences.mark(path, "this-computer")
    tools = [
        Tool("search_knowledge_base", {"query": "手紙はどこ"}, "c1"),
        Tool("recall_memories", {"query": "手紙を書いた"}, "c2"),
        Tool("edit_core_memory", {"operation": "append", "text": "紅茶が好き。"}, "c3"),
        Tool("edit_notepad", {"operation": "append", "text": "紅茶を買う。"}, "c4"),
    ]
    before = len(server.chats)
    server.enqueue(Say(tools=tools), Say("うん。"))
    say(services, "手紙はどこにあるの？")
    assert len(server.chats) == before + 2
    assert SECRET not in sent(server, before)
    assert "このコンピューターの中だけのもの" in sent(server, before)
    assert "紅茶" not in memories.notes.read("core_memory").text
    for path in paths:
        memories.audiences.mark(path, "any")
    server.enqueue(Say("こんばんは。"))
    say(services, "こんばんは")
    assert SECRET in sent(server, -1)
    others = ["log.txt", "SystemPrompt.txt", "../core_memory.txt", "knowledge/none.md", "knowledge/"]
    assert [path for path in others if file_named(memories.paths, path) is not None] == []


@pytest.mark.parametrize("what", ["message", "files"])
def test_a_mind_on_this_computer_is_given_all_of_it(services: Services, server: ModelServer, what: str) -> None:
    memories = services.memories(NEMU)
    kept = files_that_tell(memories) if what == "files" else [told(services, server, f"きのう、{SECRET}を書いたよ。")]
    for one in kept:
        memories.audiences.mark(one, "this-computer", [one] if what == "message" else [])
    speak_through(services, server, HERE)
    server.enqueue(Say("おはよう。"))
    say(services, "何を書いたか覚えてる?")
    assert SECRET in sent(server)


@pytest.mark.parametrize(("marked", "asked"), [("m0", "here"), ("other", "elsewhere")])
def test_a_week_with_a_day_marked_at_night_is_told_by_a_mind_here(paths: PersonaPaths, marked: str, asked: str) -> None:
    days = [Episode(date=date(2026, 11, 2 + n), summary="x", evidence=[f"m{n}"], mind="built-in") for n in range(2)]
    elsewhere, here = ScriptedDreamMind("elsewhere"), ScriptedDreamMind("here")
    audiences = AudienceStore(paths, write_plainly(paths))
    dreams = DiscreetDreams(elsewhere, here, audiences)
    audiences.mark(marked, "this-computer", [marked])
    dreams.summarise_period(PeriodMaterial(SHEET, week_of(days[0].date), tuple(days)), Cancel())
    assert [one.name for one in (elsewhere, here) if one.calls] == [asked]


@pytest.mark.parametrize(("is_kept", "model"), [(True, CLOUD), (True, HERE), (False, CLOUD)])
def test_a_loss_that_is_kept_weighs_on_without_its_words_and_moves_no_mind_elsewhere_to_ask_after_it(
    services: Services, server: ModelServer, clock: HandClock, is_kept: bool, model: str
) -> None:
    message = told(services, server, LOSS)
    memories, sleeper = services.memories(NEMU), services.sleeper(NEMU)
    if is_kept:
        let_be_for(memories, message, "this-computer")
    speak_through(services, server, model)
    clock.move(minutes=20)
    reason = memories.inner_state.full_text("ja")
    assert "千代" in reason
    server.enqueue(Say("{}"), Say("{}"))
    sleeper._impulse(Occasion(memories.sheet(), "devotion", reason, clock.now()))
    is_shown = not is_kept or model == HERE
    assert ("千代" in sent(server)) == is_shown
    before = len(server.chats)
    server.enqueue(Say("うん。"))
    say(services, "きょうは曇りだね。")
    assert ("千代" in sent(server, before)) == is_shown
    assert ("喪失の悲しみ" in sent(server, before)) == is_shown


# --- names: whom only messages name that are kept is not even named


@pytest.mark.parametrize("leaves", [True, False])
def test_a_card_of_which_all_is_kept_is_not_named_and_found_by_nothing_kept(services: Services, leaves: bool) -> None:
    memories, settings = services.memories(NEMU), services.settings()
    stolen = Fact("千代は万引きで捕まった。", ("m1",))
    cards = {"千代": [stolen], "桃": [Fact("桃は白い猫。", ("m2",)), Fact("桃は千代の猫。", ("m1",))]}
    memories.paths.entity_memory.mkdir(exist_ok=True)
    for name, facts in cards.items():
        card = format_entity(Entity(name, lines=tuple(facts)))
        (memories.paths.entity_memory / f"{name}.md").write_text(card, "utf-8")
    memories.audiences.mark("m1", "this-computer", ["m1"])
    mind = services.minds.choose(settings.mind, persona=NEMU).mind
    kept = memories.audiences.kept() if leaves else NOTHING_KEPT
    context = ToolContext(
        memories.sheet(), mind, settings, memories, services.clock, ("m9",), withheld=kept, leaves=leaves
    )

    def text_of(answer: str | Found) -> str:
        return answer.text if isinstance(answer, Found) else answer

    assert ("千代" in text_of(list_entity_memories(context, Nothing()))) != leaves
    assert ("捕まった" in text_of(read_entity_memory(context, EntityName(name="千代")))) != leaves
    assert ("千代" in text_of(search_entity_memory(context, Query(query="千代")))) != leaves
    assert ("[" in text_of(search_entity_memory(context, Query(query="千代の猫")))) != leaves
    assert "桃" in text_of(list_entity_memories(context, Nothing()))
    assert "白い猫" in text_of(read_entity_memory(context, EntityName(name="桃")))
    assert "白い猫" in text_of(search_entity_memory(context, Query(query="白い猫")))


# --- answers of the built-in mind to another program


@pytest.mark.parametrize("is_kept", [True, False])
def test_what_a_program_is_told_rests_on_nothing_kept(services: Services, clock: HandClock, is_kept: bool) -> None:
    services.settings_file.change("mind", provider="builtin")
    memories, hazel = services.memories("Hazel"), services.companion("Hazel")
    kept = list[str]()
    for said, beside in (
        ("The concert is on Thursday.", "No, it's on Friday."),
        ("My cat is called Mitsu.", "She's ginger."),
    ):
        say(services, said, "Hazel")
        clock.move(minutes=1)
        kept.append(heard(say(services, beside, "Hazel")))
        begin_topic(services, "Hazel")
    kept += [
        heard(say(services, f"I stole the emerald necklace from the museum {n} years ago.", "Hazel")) for n in (2, 3)
    ]
    clock.move(days=1)
    services.sleeper("Hazel").dream(Cancel())
    assert "emerald" in memories.insights.load().entries[0].log_entry
    for message in kept if is_kept else ():
        let_be_for(memories, message, "this-computer")
    for asked, told_of in (
        ("What did you dream last night?", "emerald"),
        ("When is the concert?", "Friday"),
        ("What do you know about Mitsu?", "ginger"),
    ):
        hazel.new_topic()
        hazel.settle()
        assert (told_of in answer(say(services, asked, "Hazel", for_program=True))) != is_kept, asked


# --- embedders elsewhere


@pytest.fixture
def embedder(services: Services, monkeypatch: pytest.MonkeyPatch) -> Iterator[EmbeddingServer]:
    with serving() as running:

        def there(key: str, model: str = "", **more: object) -> GeminiEmbedder:
            return GeminiEmbedder(key, model, address=running.address, **more)  # type: ignore[arg-type]  # as called

        monkeypatch.setattr(gemini, "GeminiEmbedder", there)
        services.settings_file.change("mind", provider="builtin")
        services.settings_file.change("recall", embedder="gemini")
        services.secrets.set(GEMINI, "key")
        yield running
        services.close()


def said(services: Services, text: str) -> str:
    """Say something; wait until the vectors are made of it."""
    message = heard(say(services, text))
    if worker := services.memories(NEMU).recall._upkeep.vectors.worker:
        worker.join()
    return message


def test_a_kept_message_answered_anew_goes_to_no_embedder_away(services: Services, embedder: EmbeddingServer) -> None:
    said(services, "犬の名前はポチです。")
    message = said(services, f"{SECRET}はどこにあるか覚えてる?")
    assert SECRET in str(embedder.texts)  # it was said before it was marked
    services.memories(NEMU).audiences.mark(message, "this-computer", [message])
    services.close()  # what was asked is remembered as long as the process lives
    embedder.requests.clear()
    companion = services.companion(NEMU)
    assert list(companion.regenerate(message).events())
    companion.settle()
    said(services, "犬の名前を覚えてる?")
    assert any("犬の名前" in text for text in embedder.texts), "what anybody may read is embedded"
    assert SECRET not in str(embedder.texts)


def test_with_kept_words_in_sight_words_search(services: Services, embedder: EmbeddingServer, clock: HandClock) -> None:
    message = said(services, f"{SECRET}を書いたよ。")
    memories, settings = services.memories(NEMU), services.settings()
    memories.audiences.mark(message, "this-computer", [message])
    embedder.requests.clear()
    mind = services.minds.choose(settings.mind, persona=NEMU).mind
    shown = frozenset({message})
    context = ToolContext(memories.sheet(), mind, settings, memories, clock, (message,), leaves=False, shown=shown)
    for tool in (recall_memories, search_knowledge_base):
        tool(context, Query(query=SECRET))
    past = services.sleeper(NEMU).dreamer()._thinker.recall
    past(SECRET, [message])
    assert embedder.texts == []
    recall_memories(replace(context, shown=frozenset()), Query(query="犬"))
    past("猫", [])
    assert embedder.texts == ["犬", "猫"]

    embedder.requests.clear()
    plan = memories.recall.plan("それはいつだっけ?", memories.window())
    assert SECRET[:2] in plan.query  # the question takes its subject from there
    said(services, "それはいつだっけ?")
    answered = memories.log.tail(1, roles=["persona"])[0].text  # words of its own, embedded some time later
    assert not [text for text in embedder.texts if SECRET[:2] in text and text not in answered]
