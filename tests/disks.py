"""Small disks of their own for tests: one that is soon full, one on which nothing can be written."""

import contextlib
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest


@contextlib.contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    """A small file system in memory; skips where it may not be mounted."""
    folder.mkdir()
    if not _mounted("-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder):
        pytest.skip("no small file system can be mounted here (root on Linux can)")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)  # a process that has just ended may still hold it


@contextlib.contextmanager
def read_only(disk: Path) -> Iterator[None]:
    """Let nothing be written on a small disk."""
    assert _mounted("-o", "remount,ro", disk)
    try:
        yield
    finally:
        assert _mounted("-o", "remount,rw", disk)


def _mounted(*options: str | Path) -> bool:
    mount = shutil.which("mount")
    return mount is not None and not subprocess.run([mount, *options], capture_output=True, check=False).returncode
