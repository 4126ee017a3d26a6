import mmap
import re
import sys
from pathlib import Path

import psutil
import pytest

from managers.storage.residence import give_back, give_back_free

SIZE = 8 * 1024 * 1024


def resident(name: str) -> int:
    """Return how many bytes of a mapped file the system counts as this process's."""
    text = Path("/proc/self/smaps").read_text("utf-8")
    return sum(1024 * int(kb) for kb in re.findall(rf"/{re.escape(name)}\n(?:.*\n)*?Rss:\s+(\d+) kB", text))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can be told")
def test_pages_go_and_come_again(tmp_path: Path) -> None:
    content = bytes(range(256)) * (SIZE // 256)
    (tmp_path / "large.dic").write_bytes(content)
    with (tmp_path / "large.dic").open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        assert mapped[:] == content
        assert resident("large.dic") == SIZE
        assert give_back("large.dic") == SIZE
        assert resident("large.dic") == 0
        assert mapped[:] == content
    assert give_back("nowhere.dic") == 0


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can be told")
def test_what_is_free_between_what_is_held_goes_back_to_the_system() -> None:
    held = [bytes(2_000) for _ in range(40_000)]
    before, held = psutil.Process().memory_info().rss, held[::1_000]
    give_back_free()
    assert psutil.Process().memory_info().rss < before - 60_000_000
