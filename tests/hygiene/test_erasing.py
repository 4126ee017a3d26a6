"""What is erased is gone from every byte of the home, whenever the process dies; and all else stands."""

import json
import shutil
from pathlib import Path

import pytest

from agent.erasing import _erasure, erase, finish_erasing, plan_erasure
from agent.exporting import ExportWishes
from agent.health import examine
from agent.memories import Memories
from agent.services import Services
from managers.hygiene import erasure
from managers.hygiene.erasure_plans import Planner
from managers.hygiene.errors import NameTooShortError, NothingToEraseError, PlanChangedError, SpeakersNameError
from managers.hygiene.file_kinds import HOME, declared
from managers.hygiene.inventory import memories as active
from managers.hygiene.traces import Traces
from managers.storage import files
from managers.storage.audit import events, flaws
from managers.storage.history.checking import check_history
from managers.storage.paths import Home
from managers.storage.window_storage import kept_by_window
from tests.crash import Kill, copies, needs_signals
from tests.exchange.importing import lines_of, take_over
from tests.hygiene.erased_life import CAT, KEPT, KITTY, NAME, SAID, SENT, open_home, traces_of
from tests.hygiene.test_looking_into import packed_pdf
from tests.ready import load_what_is_needed


@pytest.fixture
def memories(services: Services) -> Memories:
    return services.memories(NAME)


def _said(memories: Memories) -> dict[str, str]:
    found = memories.log.originals(set(memories.log.ids()))
    return {one: message.text for one, message in found.items()}


def test_every_file_of_a_life_is_of_a_kind_that_somebody_declared(lived: Path) -> None:
    """A new kind of file must say in `file_kinds` how an erasure goes through it."""
    folder = Home(lived).characters / NAME
    inside = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    assert [name for name in inside if declared(name) is None] == []
    around = (path.relative_to(lived).as_posix() for path in lived.rglob("*") if path.is_file())
    others = (
        name for name in around if not name.startswith("characters/") or "/" not in name.removeprefix("characters/")
    )
    assert [name for name in others if declared(name, HOME) is None] == []


def test_all_about_somebody_goes_from_every_byte_of_the_home_and_the_rest_can_be_undone(memories: Memories) -> None:
    home = memories.paths.home.folder
    assert len(traces_of(home, CAT, KITTY)) > 60
    before = _said(memories)
    files_before = {
        path: path.read_bytes()
        for path in memories.paths.folder.rglob("*")
        if path.is_file() and "rag_index" not in path.parts
    }
    plan = plan_erasure(memories, about=CAT)
    assert any(one.text == SAID[0] and one.file == "log.txt" for one in plan.taken)
    assert files_before == {path: path.read_bytes() for path in files_before}  # looking changes nothing
    report = erase(memories, plan)
    assert {"message", "episode", "card", "fact", "note", "diary", "profile", "history", "copy"} <= report.counts.keys()
    assert report.left == ()
    assert traces_of(home, CAT, KITTY) == []
    gone = {one for one, text in _said(memories).items() if not text}
    assert gone >= {one for one, text in before.items() if CAT in text or KITTY in text or text == SENT}
    stays = {one: text for one, text in before.items() if one not in gone}
    assert {one: text for one, text in _said(memories).items() if text} == stays
    assert len(gone) < len(before) * 3 // 4
    shown = [message.text for message in memories.log.tail(100)]
    assert "" not in shown
    assert all(any(word in text for text in shown) for word in KEPT)
    assert all(word in memories.recall.search(word, 1)[0].text for word in KEPT)
    assert "貴船神社のお守りをもらった。" in memories.notes.read("core_memory").text
    assert [trouble for trouble in examine(memories) if trouble.kind == "lost"] == []
    (noted,) = (event for event in events(memories.paths) if event.kind == "erasure")
    assert (noted.given.counts, flaws(memories.paths)) == (report.counts, [])
    with pytest.raises(NothingToEraseError):
        plan_erasure(memories, about=KITTY)

    assert check_history(memories.paths.history).is_sound
    entries = memories.history.entries(1000)
    assert len(entries) > 6
    entry = next(one for one in entries if one.files == ("core_memory.txt",))
    for change, is_there in ((memories.history.undo, False), (memories.history.redo, True)):
        change(entry.id, author="user")
        assert ("貴船神社" in memories.notes.read("core_memory").text) is is_there
    memories.history.maintain(force=True)
    assert check_history(memories.paths.history).is_sound


def test_what_was_said_since_it_was_shown_is_shown_first(memories: Memories) -> None:
    plan = plan_erasure(memories, about=CAT)
    memories.log.append("user", "あおい", "モモがまた来た。")
    with pytest.raises(PlanChangedError):
        erase(memories, plan_erasure(memories, about=CAT), seen=plan.mark)


def test_one_message_goes_with_what_was_made_of_it_and_what_quotes_it(memories: Memories) -> None:
    home, day = memories.paths.home.folder, "この前の「{}」のあと、どうしてた？"
    (wanted,) = (message for message in memories.log.tail(100) if message.text == SAID[3])
    erase(memories, plan_erasure(memories, wanted.id))
    assert traces_of(home, "岩盤浴", "有馬温泉に行") == []
    assert memories.log.get(wanted.id) is None
    assert any(CAT in message.text for message in memories.log.tail(100))
    assert memories.entities.find(CAT) is not None
    said = next(one for one in memories.log.tail(50) if one.text == SAID[5])
    quoting, other = (
        memories.log.append("persona", NAME, day.format(words), mind="built-in")
        for words in (f"{said.text[:14]}…", "有馬温泉")
    )
    whole = f"あおいは{said.text.rstrip('。')}と言った。"
    assert memories.notes.append("notepad", whole, author=NAME, reason="メモ", evidence=[])
    erase(memories, plan_erasure(memories, said.id))
    assert memories.log.get(quoting.id) is None
    assert memories.log.get(other.id) is not None
    assert traces_of(home, said.text[:14]) == []


def test_of_equal_nights_each_takes_one_the_last_all(services: Services, memories: Memories, tmp_path: Path) -> None:
    night, longer = "おやすみ、また明日ね。いい夢を見てね。", "じゃあ、おやすみ、また明日ね。いい夢を見てね！だいすき。"
    said = [night] * 40 + [longer, "昨日の夜は雨でした。"]
    lines = [
        {"id": f"n{day}", "time": f"2026-0{1 + day // 28}-{day % 28 + 1:02}T22:00:00", "role": "user"}
        | {"speaker": "あおい", "text": text}
        for day, text in enumerate(said)
    ]
    (tmp_path / "nights.jsonl").write_text(lines_of(lines), "utf-8")
    log, paths = memories.log, memories.paths
    (kept,) = take_over(log, tmp_path / "nights.jsonl", "transcript").kept
    tree, chat = kept.with_name("tree.json.txt"), kept.with_name("chat.txt")
    nodes = {line["id"]: {"message": {"id": line["id"], "content": {"parts": [line["text"]]}}} for line in lines}
    tree.write_text(json.dumps([{"title": night, "mapping": nodes}], ensure_ascii=False), "utf-8")
    chat.write_text("".join(f"あおい: {text}\n" for text in said), "utf-8")
    for one in (["n3"], ["n4"]):
        memories.notes.append("main_memory", "寝る前に声をかけてくれた。", author=NAME, reason="日記", evidence=one)
        memories.entities.note("あおい", night, author=NAME, mind="m", evidence=one, kind="person")
    memories.notes.append("notepad", f"あおいは「{night}」と言う。", author="user", reason="memo")
    quoting = log.append("persona", NAME, f"「{night}」っていつも言うね。", mind="built-in")

    def standing() -> list[int]:
        texts = [path.read_text("utf-8") for path in (kept, tree, chat)]
        notes = [memories.notes.read(kind).text for kind in ("notepad", "main_memory")]
        return [*(text.count(night[:-1]) for text in texts), notes[0].count(night), notes[1].count("声をかけて")]

    assert standing() == [41, 42, 41, 1, 2]
    erase(memories, plan_erasure(memories, "n3"))
    assert [line for line in lines if line["id"] != "n3"] == [*map(json.loads, kept.read_text("utf-8").splitlines())]
    assert standing() == [40, 41, 41, 1, 2]
    assert log.get("n3") is None
    assert log.get(quoting.id) is not None
    assert [one.text for one in log.tail(100)].count(night) == 39
    assert any(one.text == night for one in active(memories.working_copy()) if one.kind == "fact")
    planner = Planner(paths, memories.clock, log, memories.history, _erasure(memories))
    erase(memories, planner._with_messages(Traces(), {f"n{number}" for number in range(40)}))
    assert standing() == [1, 1, 1, 0, 0]  # in what says more
    erase(memories, plan_erasure(memories, "n40"))
    assert log.get(quoting.id) is None
    assert "雨でした" in chat.read_text("utf-8")
    assert traces_of(paths.home.folder, night[:-1], "だいすき") == []


def test_one_memory_goes_and_what_it_rests_on_stays(memories: Memories) -> None:
    home = memories.paths.home.folder
    day = next(one for one in active(memories.working_copy()) if one.kind == "day" and "日商簿記" in one.text)
    erase(memories, plan_erasure(memories, day.id))
    assert traces_of(home, day.text) == []
    assert memories.log.get(day.evidence[0]) is not None
    assert day.made in memories.working_copy().state.settled_days
    fact = next(one for one in active(memories.working_copy()) if one.kind == "fact" and "日曜に会う" in one.text)
    erase(memories, plan_erasure(memories, fact.id))
    assert traces_of(home, "日曜に会う") == []


def test_what_cannot_be_meant_is_refused(memories: Memories) -> None:
    for name, error in (
        (NAME, SpeakersNameError),
        ("あおい", SpeakersNameError),
        ("あお", SpeakersNameError),  # a part of it stands in all that she said, too
        ("あ", NameTooShortError),
        ("ツチノコ", NothingToEraseError),
    ):
        with pytest.raises(error):
            plan_erasure(memories, about=name)
    with pytest.raises(NothingToEraseError):
        plan_erasure(memories, "f_00000000")


def test_what_is_a_persons_own_or_elsewhere_or_cannot_be_looked_into_is_named_and_stays(memories: Memories) -> None:
    home, paths = memories.paths.home.folder, memories.paths
    assert ("yours", "domains") in {
        (one.why, one.file.split("/")[0]) for one in plan_erasure(memories, about="貴船神社").left
    }  # others wrote it, and its source would bring it back
    aside = [f"{one}/ねむ-20261101-100000" for one in (".trash", "characters/.set-aside")]
    named = ["notes/of mine/cats.txt", ".trash/cats.txt", *(f"{one}/log.txt" for one in aside)]
    for name in (*named, "notes/dogs.txt", "characters/ねむ/log.txt", "backups/notes.txt"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("犬のポチ" if "dogs" in name else "猫のモモ", "utf-8")
    paths.knowledge.mkdir(exist_ok=True)
    (paths.knowledge / "cats.txt").write_text("モモという名の猫は多い。", "utf-8")
    paths.home.settings.write_text('[user]\nprofile = "モモの飼い主"\n', "utf-8")
    sent, locked = (paths.attachments / name for name in ("letter.pdf", "locked.pdf"))
    sent.write_bytes(packed_pdf(f"{KITTY} is a cat"))
    locked.write_bytes(packed_pdf("Nobody knows", "secret"))
    report = erase(memories, plan_erasure(memories, about=CAT))
    assert sorted((one.why, one.file) for one in report.left) == sorted(
        [
            ("yours", "knowledge/cats.txt"),
            ("settings", "settings.toml"),
            ("unreadable", "attachments/locked.pdf"),
            *(("elsewhere", name) for name in (*named[:2], *aside)),
        ]
    )
    assert all((home / name).exists() for name in named)
    assert (sent.exists(), locked.exists()) == (False, True)


def test_an_export_that_waits_to_be_saved_goes(services: Services, memories: Memories) -> None:
    services.exports.begin(memories, ExportWishes("jsonl"), str)
    services.exports.wait()
    [job] = services.exports.of(NAME, services.clock.now())
    assert traces_of(job.path.parent, CAT)
    erase(memories, plan_erasure(memories, about=CAT))
    assert services.exports.of(NAME, services.clock.now()) == []
    assert traces_of(memories.paths.home.folder, CAT, KITTY) == []
    services.exports.begin(memories, ExportWishes("jsonl"), str)
    services.exports.wait()
    [later] = services.exports.of(NAME, services.clock.now())
    assert later.state == "made"


def test_what_an_open_window_keeps_is_named_and_goes_when_it_closes(lived: Path, tmp_path: Path) -> None:
    home = Home(Path(shutil.copytree(lived, tmp_path / "home")))
    services = open_home(home.folder)
    memories = services.memories(NAME)
    with kept_by_window(home) as storage:
        report = erase(memories, plan_erasure(memories, about=CAT))
        assert [(one.why, one.file) for one in report.left] == [("window", ".window")]
        finish_erasing(memories)
        assert traces_of(storage, CAT)
    assert traces_of(home.folder, CAT, KITTY) == []
    (storage / "Local Storage").write_text("モモ", "utf-8")  # an engine may write until its process ends
    services.close()
    services = open_home(home.folder)  # the next start
    services.memories(NAME)
    assert not storage.exists()
    services.close()


def test_marks_of_what_is_erased_go_and_those_of_files_stay(memories: Memories) -> None:
    gone, left = (next(id_ for id_, text in _said(memories).items() if word in text) for word in (KITTY, "貴船神社"))
    memories.audiences.mark(gone, "this-computer", [gone], days=["2026-11-03"])
    memories.audiences.mark("f_x", "this-computer", [gone, left])
    memories.audiences.mark("f_y", "this-computer", [], place=CAT)
    memories.audiences.mark("notepad.txt", "this-computer")
    memories.audiences.mark("f_x", "this-persona", [gone, left])
    memories.audiences.mark("f_z", "this-persona", [gone])
    erase(memories, plan_erasure(memories, about=CAT))
    marked = memories.audiences.marked().marked
    assert {one: mark.messages for one, mark in marked.items()} == {"f_x": [left], "notepad.txt": []}
    assert {one: mark.messages for one, mark in memories.audiences.own().marked.items()} == {"f_x": [left]}


def test_it_is_audited_once_and_foreign_notes_erase_none(memories: Memories, monkeypatch: pytest.MonkeyPatch) -> None:
    note, really = memories.paths.memory / ".erasing", files.remove
    begun = {"traces": {"names": [CAT]}, "counts": {}, "left": [], "attachments": [], "settled": [], "seal": "0" * 64}
    note.write_text(json.dumps(begun), "utf-8")
    finish_erasing(memories)
    assert memories.entities.find(CAT) is not None
    assert not note.exists()

    def dying(path: Path) -> None:
        if path == note:
            raise OSError("killed")
        really(path)

    with monkeypatch.context() as patched:
        patched.setattr(erasure, "remove", dying)
        with pytest.raises(OSError, match="killed"):
            erase(memories, plan_erasure(memories, about=CAT))
    assert note.exists()
    finish_erasing(memories)
    assert not note.exists()
    erase(memories, plan_erasure(memories, about="貴船神社"))
    assert [event.kind for event in events(memories.paths)].count("erasure") == 2


def _erase(home: Path) -> None:
    services = open_home(home)
    memories = services.memories(NAME)
    erase(memories, plan_erasure(memories, about=CAT))
    services.close()


@needs_signals
def test_killed_at_any_step_it_is_finished_at_the_next_start(lived: Path, tmp_path: Path, kill: Kill) -> None:
    first = Path(shutil.copytree(lived, tmp_path / "first"))
    shutil.rmtree(first / ".trash")
    finished = seen = 0
    for death in kill(_erase, copies(first, tmp_path), whens=("before",), stride=8, ready=load_what_is_needed):
        (home,) = death.given
        is_begun = (Home(home).characters / NAME / "memory" / ".erasing").exists()
        services = open_home(home)  # the next start
        memories = services.memories(NAME)
        is_gone = memories.entities.find(CAT) is None
        assert is_gone or not is_begun, death
        assert not is_gone or traces_of(home, CAT, KITTY) == [], death
        assert check_history(memories.paths.history).is_sound, death
        assert any("日商簿記" in message.text for message in memories.log.tail(100)), death
        finished += is_gone and is_begun
        seen += 1
        services.close()
        shutil.rmtree(home)
    assert finished > 2 or seen < 9
