"""A real Redis that a test may take away and bring back."""

import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest


class RedisServer:
    """A Redis on a socket of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.url = f"unix://{folder / 'redis.sock'}"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        socket = self._folder / "redis.sock"
        command = ["redis-server", "--port", "0", "--unixsocket", str(socket), "--save", "", "--dir", str(self._folder)]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        while not self._answers():
            assert self._process.poll() is None, "redis-server did not start"
            time.sleep(0.02)

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _answers(self) -> bool:
        import redis  # noqa: PLC0415

        with redis.Redis.from_url(self.url) as client:
            try:
                return bool(client.ping())
            except redis.RedisError:
                return False


@pytest.fixture
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    if shutil.which("redis-server") is None:
        pytest.skip("redis-server is not installed (apt-get install redis-server)")
    server = RedisServer(tmp_path_factory.mktemp("r"))
    server.start()
    yield server
    server.stop()
