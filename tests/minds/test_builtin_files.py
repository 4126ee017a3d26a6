"""The built-in mind and files that are sent: it answers from them, or says what it found there."""

from pathlib import Path

import pytest

from agent.events import Replied
from agent.services import Services
from tests.recall.test_documents import docx, pdf

LEASE = b"""# Lease of the flat in Mill Lane

Between Aoi Tanaka (tenant) and Miss Brodie (landlady).

## Rent
The rent is 850 euros a month. It is due on the first
working day of each month.

## Notice
Either side may end the lease with three months' notice, in writing.
Cats are allowed; dogs are not. The deposit of 1,700 euros is returned within six weeks.
"""
RECIPE = """肉じゃが(四人分)

じゃがいもは四個、牛肉は二百グラム、玉ねぎは一個を用意する。
最初に牛肉を炒め、色が変わったら玉ねぎとじゃがいもを加える。
だしを三百ミリリットル入れ、砂糖大さじ二、しょうゆ大さじ三で味をつける。
落としぶたをして、弱火で二十分煮る。冷めるときに味がしみるので、食べる一時間前には火を止めること。
祖母は最後に絹さやをのせていた。
""".encode("cp932")


class Talk:
    """Somebody who talks to a sample and sends files."""

    def __init__(self, services: Services, folder: Path, name: str) -> None:
        self.companion = services.companion(name)
        self._folder = folder

    def say(self, text: str, **files: bytes) -> str:
        paths = []
        for name, data in files.items():
            path = self._folder / name.replace("_", ".")
            path.write_bytes(data)
            paths.append(path)
        events = list(self.companion.say(text, attachments=paths).events())
        self.companion.settle()
        return next(event.message.text for event in events if isinstance(event, Replied))


@pytest.fixture
def hazel(services: Services, tmp_path: Path) -> Talk:
    return Talk(services, tmp_path, "Hazel")


@pytest.fixture
def nemu(services: Services, tmp_path: Path) -> Talk:
    return Talk(services, tmp_path, "ねむ")


def test_a_question_is_answered_from_the_file_it_comes_with_or_that_came_before(hazel: Talk) -> None:
    said = hazel.say("How much is the rent?", lease_md=LEASE)
    assert "“lease.md”" in said
    assert "“The rent is 850 euros a month.”" in said
    told = hazel.say("", lease_md=LEASE)
    assert "“lease.md”" in told
    assert "850 euros" in told
    for question, answer in {"May I keep a cat?": "Cats are allowed", "When is the deposit returned?": "within six weeks"}.items():  # fmt: skip
        assert answer in hazel.say(question)
    assert "lease.md" not in hazel.say("What is my sister's name?")


def test_a_japanese_text_of_windows_is_answered_from(nemu: Talk) -> None:
    nemu.say("おばあちゃんのレシピです。読んでみて", 肉じゃが_txt=RECIPE)
    for question, answer in {
        "砂糖はどれくらい入れる？": "砂糖大さじ二",
        "何分煮るの？": "弱火で二十分煮る",
        "このファイルに豚肉のことは書いてある？": "豚肉",
    }.items():
        said = nemu.say(question)
        assert "「肉じゃが.txt」" in said
        assert answer in said


def test_pdf_word_tables_and_long_texts_are_answered_from(hazel: Talk) -> None:
    bridge = pdf("The bridge is painted green.", "It was closed for repairs in 2019.")
    assert "in 2019" in hazel.say("When was it closed for repairs?", report_pdf=bridge)
    letter = docx(("Title", "A letter"), ("Normal", "Rosa will fetch me at the station."), ("Normal", "Yours, Henry"))
    assert "Rosa will fetch me" in hazel.say("Who will fetch him?", letter_docx=letter)
    said = hazel.say("What is Ben's phone number?", phones_csv=b"name,phone\nAoi,090-1234\nBen,080-9999\n")
    assert "080-9999" in said
    assert "090-1234" not in said
    days = "".join(f"Day {n} of the voyage. The ship sailed on through grey weather.\n" for n in range(9000))
    log = f"{days}The treasure lies buried under the third palm.\n".encode()
    assert "third palm" in hazel.say("Where is the treasure buried?", voyage_txt=log)


def test_a_memory_that_answers_comes_before_an_earlier_file(hazel: Talk) -> None:
    hazel.say("My landlady Miss Brodie has three dogs.")
    hazel.companion.memories.recall.catch_up()
    hazel.say("", lease_md=LEASE)
    assert "three dogs" in hazel.say("How many dogs does Miss Brodie have?").lower()
