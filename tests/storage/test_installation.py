"""The seal of an installation: what it made itself holds, what comes from elsewhere does not."""

import stat
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from managers.storage.installation import Installation
from managers.storage.paths import Home


def test_what_was_sealed_here_holds_in_another_process_for_its_purpose_and_words_alone(own_home: Home) -> None:
    fresh = Installation(own_home)
    assert fresh.id is None
    assert not fresh.is_sealed("journal", b"words", "0" * 64)
    assert not own_home.installation_key.exists(), "who only asks makes no key"
    seal = fresh.seal("journal", b"words")
    later = Installation(own_home)
    assert later.is_sealed("journal", b"words", seal)
    for purpose, words, other in (
        ("journal", b"other words", seal),
        ("guest", b"words", seal),
        ("journal", b"words", ""),
        ("journal", b"words", "封"),
    ):
        assert not later.is_sealed(purpose, words, other)
    if sys.platform != "win32":
        assert stat.S_IMODE(own_home.installation_key.stat().st_mode) == 0o600


@pytest.mark.parametrize("broken", [b"\xff\x00 no key", b"", b"\0" * 82, None, b"f" * 64, b"cut"])
def test_a_broken_key_is_put_right_from_its_copy_or_all_agree_on_one(own_home: Home, broken: bytes | None) -> None:
    seal = Installation(own_home).seal("guest", b"")
    copies = own_home.installation_key, own_home.installation_key_copy
    whole = copies[0].read_bytes()
    harm = whole[: len(whole) // 2] if broken == b"cut" else broken
    for path in copies:
        path.unlink() if harm is None else path.write_bytes(harm)
        assert Installation(own_home).is_sealed("guest", b"", seal)
        assert Installation(own_home).mend() == (harm is not None)
        assert [one.read_bytes() for one in copies] == [whole, whole]
    for path in copies:
        path.write_bytes(harm or b"")
    assert not Installation(own_home).is_sealed("guest", b"", seal)
    with ThreadPoolExecutor(8) as pool:
        seals = set(pool.map(lambda _: Installation(own_home).seal("guest", b""), range(8)))
    assert len(seals) == 1
    assert Installation(own_home).is_sealed("guest", b"", *seals)
