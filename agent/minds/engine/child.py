"""The engine seen from within: llama.cpp's own server, which lives as long as somebody holds it.

What it is to do comes as a line of JSON on its standard input, for anybody can read arguments; where it listens goes out as
another. It is held by whoever keeps its standard input open, and by each connection to its `leash` that began with the key:
the system closes both, however a program ends. With the last of them it ends. It writes no log: a diary goes through it.
"""

import faulthandler
import hmac
import json
import os
import socket
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import IO, Any

_LINE_BYTES = 1000
_GREETING_SECONDS = 5.0
END, HELD = b"end\n", b"held\n"
"""A holder's word that it is to end now, whoever else holds it; and the answer to the key."""


def main() -> None:
    """Load the model, say where, and be there until nobody holds this."""
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no answer
    request = json.loads(requests.readline())
    faulthandler.dump_traceback_later(request["seconds"], exit=True)  # while it loads no thread of Python runs
    if sys.platform != "win32":
        import resource  # noqa: PLC0415  # Windows has none

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # after a crash its memory lies on no disk
    server = _serve(request)
    faulthandler.cancel_dump_traceback_later()
    for stream in (1, 2):  # from here on it is talked through it
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
    leash = socket.create_server(("127.0.0.1", 0))
    holders = _Holders(request["key"].encode())
    threading.Thread(target=holders.hold, args=(requests,)).start()
    with answers:
        where = os.getpid(), server.listening_address, leash.getsockname()[1]  # Windows starts a Python through another
        answers.write(json.dumps(where).encode() + b"\n")
    while True:
        threading.Thread(target=holders.greet, args=leash.accept()[:1]).start()


def _serve(request: dict[str, Any]) -> Any:  # noqa: ANN401  # a compiled class
    """Load the model and return the server, which listens from then on."""
    import xllamacpp  # noqa: PLC0415  # 100 MB

    params = xllamacpp.CommonParams()
    params.model.path, params.model_alias = request["path"], {request["name"]}
    params.hostnames, params.port, params.api_keys = ["127.0.0.1"], 0, [request["key"]]
    params.n_parallel, params.n_ctx = request["slots"], request["slots"] * request["context"]
    params.cache_ram_mib, params.n_gpu_layers = request["cache"], request["gpu_layers"]
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = request["threads"]
    params.fit_params = len(xllamacpp.get_device_info()) > 1  # how much of it a graphics card has room for
    params.embedding, params.pooling_type = True, xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
    params.enable_reasoning = 0  # where the template can be told so: a processor would think for minutes
    params.ui = params.endpoint_slots = False
    params.cors_origins = ""  # no page of a browser has any business here
    params.verbosity = 1  # why it cannot be loaded
    return xllamacpp.Server(params)


class _Holders:
    """Those for whom it is there."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._count = 0
        self._lock = threading.Lock()

    def greet(self, line: socket.socket) -> None:
        """Be held by whoever has connected, if it knows the key."""
        with suppress(OSError), line, line.makefile("rb") as stream:
            line.settimeout(_GREETING_SECONDS)
            if hmac.compare_digest(stream.readline(_LINE_BYTES).strip(), self._key):
                line.settimeout(None)
                self.hold(stream, lambda: line.sendall(HELD))

    def hold(self, stream: IO[bytes], begin: Callable[[], None] = lambda: None) -> None:
        """Be held until the other end is gone."""
        with self._lock:
            self._count += 1
        with suppress(OSError):
            begin()
            while line := stream.readline(_LINE_BYTES):
                if line == END:
                    os._exit(0)
        with self._lock:
            self._count -= 1
            if self._count == 0:
                os._exit(0)  # whatever is being computed, nobody waits for it
