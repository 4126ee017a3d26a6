"""Encrypted files: opened by age's own library and the other way round, and by nobody who lacks the passphrase."""

import io
import random
from pathlib import Path

import pyrage
import pytest

from managers.exchange.encryption import encrypting, is_encrypted, open_encrypted
from managers.exchange.errors import (
    DamagedEncryptionError,
    NotForPassphraseError,
    PassphraseNeededError,
    WrongPassphraseError,
)

WORDS, PATH = "うたた寝 do not tell", Path("out.age")
LITTLE_WORK = 4
PIECE = 64 * 1024


def encrypted(data: bytes, words: str = WORDS) -> bytes:
    target = io.BytesIO()
    with encrypting(target, words, PATH, LITTLE_WORK) as file:
        for begin in range(0, len(data), 50_000):
            file.write(data[begin : begin + 50_000])
    return target.getvalue()


def opened(data: bytes, words: str = WORDS) -> io.BufferedReader:
    return open_encrypted(io.BytesIO(data), words, PATH)


def test_what_is_written_here_ages_own_library_opens_and_so_do_we() -> None:
    for size in (0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE, 3 * PIECE + 17):
        data = random.Random(size).randbytes(size)
        made = encrypted(data)
        assert is_encrypted(io.BytesIO(made))
        assert pyrage.passphrase.decrypt(made, WORDS) == data
        assert opened(made).read() == data


def test_a_wrong_passphrase_is_said_and_an_empty_one_is_asked_for() -> None:
    made = encrypted(b"secret")
    with pytest.raises(WrongPassphraseError, match="does not open"):
        opened(made, "wrong")
    for empty in (lambda: opened(made, ""), lambda: encrypted(b"", "")):
        with pytest.raises(PassphraseNeededError):
            empty()
    assert opened(encrypted(b"x", "\u304b\u3099"), "\u304c").read() == b"x", (
        "one and the same letter, as a Mac writes it"
    )


def test_no_bit_can_be_turned_and_no_end_be_cut_off() -> None:
    made = encrypted(random.Random(5).randbytes(PIECE + 100))
    places = [*range(200), PIECE // 2, PIECE + 250, len(made) - 1]
    for place in places:
        turned = bytearray(made)
        turned[place] ^= 1
        with pytest.raises((DamagedEncryptionError, WrongPassphraseError, NotForPassphraseError)):
            opened(bytes(turned)).read()
    for length in (0, 30, 150, 190, 260, PIECE, PIECE + 16 + 184, len(made) - 1):
        with pytest.raises((DamagedEncryptionError, NotForPassphraseError)):
            opened(made[:length]).read()


def test_an_export_that_failed_cannot_be_taken_for_a_whole_one() -> None:
    target = io.BytesIO()

    def write() -> None:
        with encrypting(target, WORDS, PATH, LITTLE_WORK) as file:
            file.write(b"x" * 3 * PIECE)
            raise BlockingIOError

    with pytest.raises(BlockingIOError):
        write()
    with pytest.raises(DamagedEncryptionError):
        opened(target.getvalue())


def test_what_is_for_a_key_or_asks_for_an_hours_work_is_refused() -> None:
    other = pyrage.encrypt(b"x", [pyrage.x25519.Identity.generate().to_public()])
    for data in (other, encrypted(b"x").replace(b" 4\n", b" 30\n", 1), b"PK\x03\x04"):
        with pytest.raises(NotForPassphraseError):
            opened(data)
