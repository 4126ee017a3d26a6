"""A persona with years of a real life in short: talk, nights, edits, undo, archive, copies; and a look at every byte of it."""

import gzip
import io
import json
import shutil
import sqlite3
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from random import Random

import pytest
from dulwich.object_store import DiskObjectStore

from agent.services import Services, open_services
from managers.domains.domain_sources import add_source
from managers.domains.domain_store import DomainStore
from managers.hygiene.archive import Going
from managers.hygiene.inventory import memories as active
from managers.mind import Cancel
from managers.storage.audit import Given, record
from managers.storage.paths import Home
from tests.fakes import HandClock

NAME = "こはる"
CAT, KITTY = "モモ", "Momochi"
"""Whom everything is to be erased of, and what she is called, too."""
SAID = (
    "うちの猫のモモちゃんが昨日から入院していて、とても心配です。", "来週は京都の貴船神社に行く予定です。",
    "Momochiは三毛猫で、まぐろが大好きです。", "姉の花子と有馬温泉に行きました。岩盤浴がとても気持ちよかったです。",
    "モモは今日退院しました！もう元気です。", "日商簿記の資格を取るために勉強を頑張ろうと思います。"
)  # fmt: skip
SENT = "これを見てください。"
"""Said with a file that names her."""
KEPT = ("貴船神社", "有馬温泉", "日商簿記")


def open_home(home: Path, clock: HandClock | None = None) -> Services:
    services = open_services(Home(home), clock or HandClock(datetime(2026, 11, 30, 12)), Random(3))
    if services.going_through is not None:
        services.going_through.join()
    return services


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("lived") / "home"
    live(home)
    return home


@pytest.fixture
def services(lived: Path, tmp_path: Path) -> Iterator[Services]:
    with closing(open_home(Path(shutil.copytree(lived, tmp_path / "home")))) as opened:
        yield opened


def live(home: Path) -> None:
    """Live: six days of talk, with nights between; then all that people do with memories."""
    clock = HandClock(datetime(2026, 11, 1, 20))
    services = open_home(home, clock)
    services.personas.create(
        NAME, language="ja", user_name="あおい", system_prompt="あなたは こはる。猫が好き。モモのことも好き。"
    )
    companion = services.companion(NAME)
    for number, said in enumerate(SAID):
        for _ in companion.say(said).events():
            pass
        companion.settle()
        clock.move(hours=8)
        if number % 2:
            services.sleeper(NAME).dream(Cancel())
        clock.move(hours=16)
    for _ in companion.say("モモの好きな食べ物は？").events():
        pass
    companion.settle()
    _use(services, home, clock)
    services.close()


def _use(services: Services, home: Path, clock: HandClock) -> None:
    memories = services.memories(NAME)
    paths, mine = memories.paths, {"author": "user", "reason": "モモのこと"}
    note = home / "モモの予定.txt"
    note.write_text("モモの通院は金曜日。", "utf-8")
    companion = services.companion(NAME)
    for _ in companion.say(SENT, attachments=[note]).events():
        pass
    companion.settle()
    note.unlink()
    said = [message for message in memories.log.tail(50) if message.role == "user"]
    companion.edit(said[1].id, "来週は京都の貴船神社に行く予定です。モモは留守番です。")
    companion.edit(said[1].id, SAID[1])
    for _ in companion.regenerate().events():
        pass
    companion.settle()
    memories.notes.append("core_memory", "猫のMomochiはもう十歳。\n貴船神社のお守りをもらった。", **mine)
    memories.notes.append("notepad", "有馬温泉の宿を探す。モモも連れて行ける宿がいい。", **mine)
    memories.notes.append(
        "main_memory", "今日は静かだった。モモの話をした。", author=NAME, reason="日記", evidence=[said[0].id]
    )
    memories.notes.append(
        "secret_diary", "モモちゃんに会ってみたい。", author=NAME, reason="日記", evidence=[said[0].id]
    )
    entry = memories.entities.note("モモ", "ちゅーるが好き", author=NAME, mind="m", evidence=[said[2].id], kind="pet")
    memories.entities.note(
        "花子", "モモの名付け親\n日曜に会う", author=NAME, mind="m", evidence=[said[3].id], kind="person"
    )
    assert entry
    copy = memories.working_copy()
    cat = copy.entity([CAT])
    assert cat is not None
    copy.put_entity(replace(cat, aliases=(*cat.aliases, KITTY)))
    going = [Going(one, "pruned") for one in active(copy) if one.kind in {"event", "insight"}][:6]
    archived = memories.housekeeping().archive.put_away(copy, going)
    memories.apply({**copy.files(), **archived}, author="utatane", reason="put away")
    undone = memories.notes.append("notepad", "モモの誕生日は五月。", **mine)
    assert undone is not None
    memories.history.undo(memories.history.entries(1)[0].id, author="user")
    memories.history.maintain(force=True)
    memories.notes.append("notepad", "簿記の本を返す。モモの写真も。", **mine)
    _leave_about(paths.folder, home, clock)
    _share(services, clock)
    memories.recall.catch_up()
    memories.map.look()
    memories.network.look()
    memories.network.wait()


def _share(services: Services, clock: HandClock) -> None:
    """Name a source of a domain, and fetch it: all kinds of files that a domain has."""
    papers = services.home.folder.with_name("papers")
    papers.mkdir()
    (papers / "temple.md").write_text("# 貴船神社\n\n水の神をまつる。", "utf-8")
    store = DomainStore(services.home, "history", clock)
    add_source(store, str(papers))
    services.domain_jobs.run(store, store.plan().sources)
    record(store.paths, clock.now(), "fetch", Given({"requests": 1}), at_once=True)


def _leave_about(folder: Path, home: Path, clock: HandClock) -> None:
    """Leave what imports, crashes, sync services and earlier deaths leave."""
    source = folder / "log_import_source"
    source.mkdir()
    lines = [{"id": "D1:1", "text": "モモが来た日"}, {"id": "D1:2", "text": "雨の日"}]
    (source / "old.jsonl.txt").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    (source / "chat.txt.txt").write_text("あおい: モモと遊んだ\nこはる: よかったね\n", "utf-16")
    (folder / "log.txt.broken-20261110-100000").write_text("## USER:あおい\nモモが", "utf-8")
    aside = folder / "set_aside" / "20261111-100000" / "entity_memory"
    aside.mkdir(parents=True)
    (aside / "モモ.md").write_text("# Entity Memory: モモ\n\n- 三毛猫\n", "utf-8")
    (folder / ".history.broken-20261112-100000").mkdir()
    (folder / ".history.broken-20261112-100000" / "x").write_bytes(zlib.compress("モモ".encode()))
    (folder / "memory" / ".insights.json.1-0.utatane-tmp").write_text("モモ", "utf-8")
    (folder / "log_archives").mkdir(exist_ok=True)
    old = "## USER:あおい\nモモを拾った。\n\n2025-06-01 (Sun) 10:00:00 |  | 20250601T100000-aaaaaaaa\n\n"
    old += "## USER:あおい\n梅雨の話。\n\n2025-06-01 (Sun) 10:01:00 |  | 20250601T100100-bbbbbbbb\n\n"
    (folder / "log_archives" / "2025-06.txt").write_text(old, "utf-8")
    (home / ".logs").mkdir(exist_ok=True)
    (home / ".logs" / "utatane.log").write_text("entity_memory/モモ.md cannot be read\n", "utf-8")
    for kept in (
        ".exports/abc/Koharu-chat.jsonl.gz",
        ".window/Session Storage/000003.log",
    ):  # of a process that was killed
        (home / kept).parent.mkdir(parents=True)
        (home / kept).write_bytes(gzip.compress("モモ".encode()) if kept[-3:] == ".gz" else "モモ".encode("utf-16-le"))
    put_aside = home / "characters" / ".set-aside" / f"{NAME}-20261112-100000" / "memory"
    put_aside.mkdir(parents=True)
    (put_aside / "archive_2026-11-01.json.gz").write_bytes(gzip.compress('[{"text": "モモ"}]'.encode()))
    (home / ".trash").mkdir(exist_ok=True)
    shutil.copytree(folder, home / ".trash" / f"{NAME}-{clock.now():%Y%m%d-%H%M%S}")


def every_byte(home: Path) -> Iterator[tuple[str, bytes]]:
    """Yield all that lies under a home, unpacked as far as it can be, with the names of files."""
    for path in sorted(home.rglob("*")):
        name = path.relative_to(home).as_posix()
        yield f"{name} (name)", path.name.encode()
        if path.is_file():
            yield from _unpacked(name, path)


def _unpacked(name: str, path: Path) -> Iterator[tuple[str, bytes]]:
    data = path.read_bytes()
    yield name, data
    if data[:2] == b"\x1f\x8b":
        yield f"{name} (gzip)", gzip.decompress(data)
    elif data[:4] == b"PK\x03\x04":
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            yield from ((f"{name}!{one}", archive.read(one)) for one in archive.namelist())
    elif data[:15] == b"SQLite format 3":
        connection = sqlite3.connect(path)
        yield f"{name} (sqlite)", "\n".join(connection.iterdump()).encode("utf-8", "replace")
        connection.close()
    elif path.suffix == ".pack" and path.with_suffix(".idx").exists():
        store = DiskObjectStore(path.parents[1])
        yield from ((f"{name} {one.decode()}", store[one].as_raw_string()) for one in store.packs[0])
        store.close()
    elif data[:1] == b"\x78":
        with suppress(zlib.error):  # a file of another kind may begin like this
            yield f"{name} (zlib)", zlib.decompress(data)


def traces_of(home: Path, *words: str) -> list[str]:
    """Return where any of some words stands, in UTF-8, in UTF-16 or escaped as JSON does it."""
    forms = {form for word in words for form in _forms(word)}
    return [name for name, data in every_byte(home) if any(form in data for form in forms)]


def _forms(word: str) -> Iterator[bytes]:
    for one in (word, word.lower(), word.upper()):
        yield from (
            one.encode("utf-8"), one.encode("utf-16-le"), one.encode("utf-16-be"), json.dumps(one)[1:-1].encode()
        )  # fmt: skip
