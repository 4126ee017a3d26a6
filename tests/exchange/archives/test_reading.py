"""An archive is of one moment, and comes back as it was or is refused; masked, it can be given away."""

import gzip
import hashlib
import json
import os
import shutil
import sys
import threading
import zipfile
from collections.abc import Callable
from contextlib import closing
from datetime import datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest

from managers.exchange import errors
from managers.exchange.archives import writing as archive_writing
from managers.exchange.archives.making import ArchiveWishes
from managers.exchange.archives.manifest import MANIFEST, ArchivedFile
from managers.exchange.archives.reading import bring_in, open_archive
from managers.exchange.archives.snapshot import HeldFile
from managers.memory.errors import NoSuchFileError
from managers.memory.forgotten import forget_words
from managers.memory.messages import Message
from managers.personas import PersonaStore
from managers.personas.errors import PersonaExistsError
from managers.storage.errors import UtataneError
from managers.storage.files import append_durably, write_atomic
from managers.storage.locks import writing
from managers.storage.paths import PersonaPaths
from tests.crash import Kill, needs_signals
from tests.exchange.archives.lives import export, hashes, store_at
from tests.small_life import NAME, make_life, open_life
from tests.speeds import one_quick

WORDS = "とても長い合言葉"


@pytest.fixture(scope="module")
def life(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("life")
    make_life(home)
    return home


@pytest.fixture
def persona(life: Path, tmp_path: Path) -> PersonaPaths:
    shutil.copytree(life, tmp_path / "here")
    return PersonaPaths(tmp_path / "here" / "characters" / NAME)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "out.zip"


@pytest.fixture
def elsewhere(tmp_path: Path) -> PersonaStore:
    return store_at(tmp_path / "elsewhere")


def folder_of(store: PersonaStore, name: str = NAME) -> Path:
    return store.home.characters / name


def nothing_came(store: PersonaStore) -> bool:
    return not store.home.characters.exists() or not any(store.home.characters.iterdir())


@pytest.mark.parametrize("words", one_quick([None, WORDS]), ids=["plain", "encrypted"])
def test_a_persona_comes_back(persona: PersonaPaths, file: Path, elsewhere: PersonaStore, words: str | None) -> None:
    (persona.attachments / "leer").mkdir(parents=True)
    before = hashes(persona.folder)
    made = export(persona, file, ArchiveWishes(passphrase=words))
    brought = bring_in(elsewhere, file, words)
    after = hashes(folder_of(elsewhere))
    assert after == hashes(persona.folder)
    assert {name: after[name] for name in before if "audit" not in name} == {
        name: seal for name, seal in before.items() if "audit" not in name
    }
    assert brought.count == made.count
    assert not any((folder_of(elsewhere) / name).exists() for name in ("log_import_source", "rag_index"))
    assert elsewhere.list_names() == [NAME]
    with closing(open_life(elsewhere.home.folder)) as memories:
        assert memories.log.count() == 120
        memories.recall.catch_up()
        assert memories.recall.search("Zebulon")
        assert len(memories.history.entries(100)) > 1
    assert bring_in(elsewhere, file, words, "Nemu 2").persona.name == "Nemu 2"
    with pytest.raises(PersonaExistsError):
        bring_in(elsewhere, file, words)


ALIKE = ("Notes.txt", "notes.txt", "\u304c.md", "\u304b\u3099.md", "b", "B/c", "d/e", "D/e")


def test_whatever_was_edited_comes_back(persona: PersonaPaths, file: Path, elsewhere: PersonaStore) -> None:
    rng = Random(0)
    names = ["100%.md", "a%41.txt", "猫 と 犬.md", "Ｗｉｄｅ.json", ".hidden", "x" * 100, "b'(1).txt"]
    if sys.platform == "linux":
        names += ["colon:name.txt", "back\\slash.txt", "bytes\udc83\udcff.txt", "line\nbreak.txt", *ALIKE]
    folders = ["knowledge", "attachments", "entity_memory", "memory", "log_archives", "own folder/deep/er"]
    for _ in range(60):
        path = persona.folder / rng.choice(folders) / rng.choice(names)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(rng.choice([b"", rng.randbytes(rng.randrange(300_000)), b"\0" * 3_000_000, b"\xff" * 999]))
        if rng.random() < 0.2:
            rng.choice([one for one in sorted(persona.folder.glob("[!.]*/*")) if one.is_file()]).unlink()
    export(persona, file)
    bring_in(elsewhere, file, None)
    assert hashes(folder_of(elsewhere)) == hashes(persona.folder)


def test_a_wrong_passphrase_is_said_nothing_written(persona: PersonaPaths, file: Path, elsewhere: PersonaStore) -> None:
    export(persona, file, ArchiveWishes(passphrase=WORDS))
    assert b"Zebulon" not in file.read_bytes()
    assert b"log.txt" not in file.read_bytes()
    with pytest.raises(errors.PassphraseNeededError):
        bring_in(elsewhere, file, None)
    with pytest.raises(errors.WrongPassphraseError):
        bring_in(elsewhere, file, WORDS + "x")
    turned = bytearray(file.read_bytes())
    turned[len(turned) // 2] ^= 4
    file.write_bytes(turned)
    with pytest.raises((errors.DamagedArchiveError, errors.DamagedEncryptionError)):
        bring_in(elsewhere, file, WORDS)
    assert nothing_came(elsewhere)


def test_no_turned_bit_and_no_missing_end_goes_unnoticed(tmp_path: Path, elsewhere: PersonaStore) -> None:
    file = made_by_hand(tmp_path / "small.zip")
    whole, rng = file.read_bytes(), Random(9)
    expected = unpacked_of(file, tmp_path / "good")
    spoilt = [whole[:length] for length in rng.sample(range(len(whole)), 20)]
    for place in range(len(whole)):
        turned = bytearray(whole)
        turned[place] ^= 1 << rng.randrange(8)
        spoilt.append(bytes(turned))
    refused = 0
    for number, data in enumerate(spoilt):
        file.write_bytes(data)
        try:
            found = unpacked_of(file, tmp_path / f"{number}")
        except UtataneError:
            refused += 1
        else:
            assert found == expected, "what comes in is what went out: it was no bit of a file's"
    assert refused > len(spoilt) / 2


def unpacked_of(file: Path, folder: Path) -> dict[str, str]:
    folder.mkdir()
    with open_archive(file) as archive:
        archive.unpack(folder)
    return hashes(folder)


Spoil = Callable[[dict[str, bytes], dict[str, Any]], None]


def made_by_hand(
    file: Path, spoil: Spoil = lambda files, manifest: None, *, written: Callable[[zipfile.ZipFile], object] = bool
) -> Path:
    """Make an archive as somebody else might: files, and a manifest that fits them until it is spoilt."""
    files = {"persona.json": b'{"format": 1, "language": "en"}', "SystemPrompt.txt": b"You are a stranger."}
    manifest: dict[str, Any] = {"format": 1, "persona": "Rook", "files": {}}

    spoil(files, manifest)
    sums = {name: {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()} for name, data in files.items()}
    manifest["files"] = {**sums, **manifest["files"]}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(f"Rook/{name}", data)
        written(archive)
        archive.writestr(MANIFEST, json.dumps(manifest))
    return file


def refused(store: PersonaStore, file: Path, why: type[UtataneError], match: str | None = None) -> None:
    """Show why an archive does not come in; nothing of it has, then."""
    with pytest.raises(why, match=match):
        bring_in(store, file, None)
    assert nothing_came(store)


def with_files(path: Path, *names: str, data: bytes = b"x") -> Path:
    return made_by_hand(path, lambda files, _manifest: files.update(dict.fromkeys(names, data)))


def test_names_that_lead_elsewhere_or_share_a_place_are_refused(tmp_path: Path, elsewhere: PersonaStore) -> None:
    leading = ("../evil.txt", "../../evil.txt", "/evil.txt", "C:evil.txt", "a\\..\\..\\evil.txt", "%2E%2E/evil")
    for number, name in enumerate(leading):
        file = with_files(tmp_path / f"{number}.zip", name)
        before = set(tmp_path.rglob("*"))
        refused(elsewhere, file, errors.UnsafeArchiveError)
        assert [one for one in {*tmp_path.rglob("*")} - before if not one.is_relative_to(elsewhere.home.folder)] == []
    for names in (("b", "b/c"), ("b/c/d", "b/c")):
        refused(elsewhere, with_files(tmp_path / "in.zip", *names), errors.UnsafeArchiveError, "one place")


def test_links_bombs_more_are_refused(tmp_path: Path, elsewhere: PersonaStore, monkeypatch: pytest.MonkeyPatch) -> None:
    info = zipfile.ZipInfo("Rook/notepad.txt")
    info.create_system, info.external_attr = 3, 0o120777 << 16
    link = made_by_hand(tmp_path / "link.zip", written=lambda archive: archive.writestr(info, "/etc/passwd"))
    refused(elsewhere, link, errors.UnsafeArchiveError, "link")
    extra = made_by_hand(tmp_path / "extra.zip", written=lambda archive: archive.writestr("Rook/more.txt", "x"))
    refused(elsewhere, extra, errors.UnsafeArchiveError, r"more\.txt")
    said = {"gone.txt": {"size": 1, "sha256": "0" * 64}}
    missing = made_by_hand(tmp_path / "no.zip", lambda _, manifest: manifest["files"].update(said))
    refused(elsewhere, missing, errors.DamagedArchiveError, r"gone\.txt")
    bomb = with_files(tmp_path / "bomb.zip", "knowledge/zeros.txt", data=bytes(50_000_000))
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: usage._replace(free=120_000_000))
    refused(elsewhere, bomb, errors.ArchiveTooLargeError)


def test_the_list_must_be_one_and_of_a_known_format(tmp_path: Path, elsewhere: PersonaStore) -> None:
    spoilt: list[dict[str, Any]] = [
        {"format": 99}, {"format": "x"}, {"persona": None}, {"folders": 3}, {"forgotten": "many"}
    ]  # fmt: skip
    for number, odd in enumerate(spoilt):
        file = made_by_hand(tmp_path / f"{number}.zip", lambda _, manifest, odd=odd: manifest.update(odd))  # type: ignore[misc]
        refused(elsewhere, file, errors.DamagedArchiveError if number else errors.NewerArchiveError)
    with zipfile.ZipFile(tmp_path / "plain.zip", "w") as archive:
        archive.writestr("Rook/persona.json", "{}")
    (tmp_path / "text.zip").write_text("no ZIP at all")
    for name, why in (
        ("plain", errors.NotAnArchiveError), ("text", errors.NotAnArchiveError), ("nowhere", NoSuchFileError)
    ):  # fmt: skip
        refused(elsewhere, tmp_path / f"{name}.zip", why)


def test_what_might_run_stays_where_it_is_and_settings_wait_for_a_yes(tmp_path: Path, elsewhere: PersonaStore) -> None:
    sheet = {"format": 1, "language": "en", "settings": {"mind": {"provider": "gemini"}}}
    files = {
        "persona.json": json.dumps(sheet).encode(), "rag_index/faiss": b"not made here",
        ".history/HEAD": b"ref: refs/heads/main\n", ".history/config": b"[core]\n\tfsmonitor = evil\n",
        ".history/hooks/post-commit": b"#!/bin/sh\nevil", ".history/pending/journal.json": b"{}"
    }  # fmt: skip
    brought = bring_in(elsewhere, made_by_hand(tmp_path / "in.zip", lambda there, _: there.update(files)), None, "Rook")
    folder = folder_of(elsewhere, "Rook")
    assert not any((folder / name).exists() for name in (".history/hooks", ".history/pending", "rag_index"))
    assert "evil" not in (folder / ".history/config").read_text("utf-8")
    assert brought.persona.asks
    assert not elsewhere.home.set_aside.exists(), "nothing is written outside of the persona's folder"


def test_the_forgotten_is_counted_or_left_out(persona: PersonaPaths, tmp_path: Path, elsewhere: PersonaStore) -> None:
    with closing(open_life(persona.home.folder)) as memories:
        said = Message("m-secret", datetime(2026, 11, 21, 20), "user", "Emma", "The vault code is Quixote.")
        memories.log.append_many([said, Message("m-wish", datetime(2026, 11, 21, 21), "user", "Emma", "Forget that.")])
        source = memories.paths.log_import_source / "chat.txt" / "chat.txt"
        source.parent.mkdir(parents=True)
        source.write_text(said.text, "utf-8")
        nothing_yet = export(persona, tmp_path / "nothing.zip", ArchiveWishes(without_forgotten=True))
        forget_words(memories.log, ["m-secret"], "m-wish")
    assert "log_import_source/chat.txt/chat.txt" not in nothing_yet.left_out
    assert export(persona, tmp_path / "whole.zip").forgotten == 1
    made = export(persona, tmp_path / "without.zip", ArchiveWishes(without_forgotten=True))
    assert made.forgotten == 0
    assert any(name.startswith(".history/") for name in made.left_out)
    with zipfile.ZipFile(tmp_path / "without.zip") as archive:
        assert not [name for name in archive.namelist() if b"vault code" in archive.read(name)]
    bring_in(elsewhere, tmp_path / "without.zip", None)
    folder = folder_of(elsewhere)
    assert "vault code" not in (folder / "log.txt").read_text("utf-8")
    assert not (folder / ".history").exists()
    with closing(open_life(elsewhere.home.folder)) as memories:
        assert memories.log.count() == 121
        assert memories.log.get("m-wish") is not None
    bring_in(elsewhere, tmp_path / "whole.zip", None, "Whole")
    assert "vault code" in (folder_of(elsewhere, "Whole") / "log.txt").read_text("utf-8")


def _bring(home: Path, file: Path) -> None:
    bring_in(store_at(home), file, None)


@needs_signals
def test_killed_at_any_step_nothing_half_stays(tmp_path: Path, kill: Kill) -> None:
    file, number = made_by_hand(tmp_path / "in.zip"), iter(range(10_000))
    expected = unpacked_of(file, tmp_path / "good")
    came = 0
    places = lambda: (tmp_path / f"home-{next(number)}", file)  # noqa: E731
    for death in kill(_bring, places, whens=("before", "after"), stride=2):
        store = store_at(death.given[0])
        names = store.list_names()
        if names:
            came += 1
            found = hashes(folder_of(store, "Rook"))
            found.pop(".persona-id")
            assert found == expected
        store.install_samples(tmp_path / "no samples")
        there = store.home.characters.iterdir() if store.home.characters.exists() else ()
        assert [one.name for one in there] == names
    assert came


def _export(paths: PersonaPaths, file: Path) -> None:
    export(paths, file)


@needs_signals
def test_an_export_killed_at_any_step_is_whole_or_not_there(persona: PersonaPaths, tmp_path: Path, kill: Kill) -> None:
    for name in ("log_archives", ".history", "rag_index", "memory"):
        shutil.rmtree(persona.folder / name, ignore_errors=True)
    number = iter(range(10_000))

    def place() -> tuple[PersonaPaths, Path]:
        (folder := tmp_path / f"out-{next(number)}").mkdir()
        return persona, folder / "out.zip"

    for death in kill(_export, place, whens=("after",), stride=5):
        file: Path = death.given[1]
        if file.exists():
            with open_archive(file) as archive:
                archive.check()
            file.unlink()
        export(persona, file)
        assert [one.name for one in file.parent.iterdir()] == ["out.zip"], "what the killed one left is gone"
        assert not (persona.folder / ".export.utatane-tmp").exists()


@pytest.fixture
def written(paths: PersonaPaths) -> PersonaPaths:
    paths.log.write_text("はじめの言葉\n", "utf-8")
    paths.core_memory.write_text("まえの記憶", "utf-8")
    paths.attachments.mkdir()
    (paths.attachments / "空 の絵.png").write_bytes(os.urandom(3_000_000))
    return paths


def contents(file: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(file) as archive:
        assert archive.testzip() is None
        return {one.filename: archive.read(one) for one in archive.infolist() if one.filename != MANIFEST}


def test_writers_neither_wait_nor_enter(written: PersonaPaths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, is_done = threading.Event(), threading.Event()
    add = archive_writing._add

    def slowly(archive: zipfile.ZipFile, entry: str, held: HeldFile, *rest: Any) -> ArchivedFile | None:
        begun.set()
        is_done.wait()  # for ever, where nobody can write before the export is over
        return add(archive, entry, held, *rest)

    def write() -> None:
        begun.wait()
        with writing(written):
            append_durably(written.log, "あとの言葉\n".encode())
            write_atomic(written.core_memory, "あとの記憶")
        is_done.set()

    monkeypatch.setattr(archive_writing, "_add", slowly)
    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    export(written, tmp_path / "out.zip")
    writer.join()
    found = contents(tmp_path / "out.zip")
    assert found[f"{written.name}/log.txt"].decode() == "はじめの言葉\n"
    assert found[f"{written.name}/core_memory.txt"].decode() == "まえの記憶"
    assert "あとの言葉" in written.log.read_text("utf-8")


MAIL, TELEPHONE = "hana@example.jp", "090-1234-5678"


def test_an_export_has_the_same_placeholder_everywhere_and_stays_readable(paths: PersonaPaths, tmp_path: Path) -> None:
    paths.log.write_text(f"## USER:花\n{MAIL}に送って\n\n2026-11-20 (Fri) 20:00:00 | | m1\n", "utf-8")
    paths.core_memory.write_text(f"花のメールは{MAIL}", "utf-8")
    paths.memory.mkdir()
    goals = {"id": "g1", "size": 4111111111111111, "goal": f"{TELEPHONE}にかける"}
    paths.goals.write_text(json.dumps(goals), "utf-8")
    (paths.memory / "recall_log.jsonl").write_text(
        json.dumps({"query": f"{MAIL}\u2028or not"}, ensure_ascii=False) + "\n" + json.dumps({"k": 1}) + "\n", "utf-8"
    )
    (paths.memory / "archive_2026.json.gz").write_bytes(gzip.compress(json.dumps([MAIL]).encode()))
    (paths.folder / "avatar.png").write_bytes(b"\x89PNG")
    (paths.folder / ".history").mkdir()
    (paths.folder / ".history" / "note.txt").write_text(MAIL, "utf-8")
    paths.attachments.mkdir()
    (paths.attachments / "photo.png").write_bytes(b"\x89PNG")
    (paths.memory / "odd.txt").write_bytes(MAIL.encode("utf-16"))
    (paths.memory / "broken.json").write_text("{" + MAIL, "utf-8")
    made = export(paths, tmp_path / "out.zip", ArchiveWishes(is_masked=True))
    with zipfile.ZipFile(tmp_path / "out.zip") as archive:
        found = {name.partition("/")[2]: archive.read(name) for name in archive.namelist() if name != MANIFEST}
    assert made.count == len(found)
    assert {Path(name).name for name in made.left_out} >= {"note.txt", "photo.png", "odd.txt", "broken.json"}
    assert "[REDACTED_EMAIL]に送って\n\n2026-11-20 (Fri) 20:00:00 | | m1" in found["log.txt"].decode()
    assert found["core_memory.txt"].decode() == "花のメールは[REDACTED_EMAIL]"
    assert json.loads(found["goals.json"]) == {**goals, "goal": "[REDACTED_PHONE]にかける"}
    [line, _] = found["memory/recall_log.jsonl"].splitlines()
    assert json.loads(line) == {"query": "[REDACTED_EMAIL]\u2028or not"}
    assert json.loads(gzip.decompress(found["memory/archive_2026.json.gz"])) == ["[REDACTED_EMAIL]"]


def test_a_file_whose_name_is_private_stays_behind_and_is_named(paths: PersonaPaths, tmp_path: Path) -> None:
    paths.knowledge.mkdir()
    (paths.knowledge / f"{MAIL}.txt").write_text("x", "utf-8")
    (paths.knowledge / "2026-11-20 notes.txt").write_text("x", "utf-8")
    (paths.folder / "own" / MAIL).mkdir(parents=True)
    made = export(paths, tmp_path / "out.zip", ArchiveWishes(is_masked=True))
    with zipfile.ZipFile(tmp_path / "out.zip") as archive:
        names = archive.namelist()
        assert MAIL.encode() not in archive.read(MANIFEST)
    assert [name for name in names if MAIL in name] == []
    assert f"{paths.name}/knowledge/2026-11-20 notes.txt" in names
    assert f"knowledge/{MAIL}.txt" in made.left_out
