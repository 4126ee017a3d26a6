"""The program's own log (`.logs/utatane.log` in the home folder): what failed and where, for whoever mends it.

It holds tracebacks and names of things, never what was said and never a key.
"""

from __future__ import annotations

import logging
from logging.handlers import RotatingFileHandler
from pathlib import Path

from managers.storage.paths import Home

MAX_BYTES = 1_000_000
KEPT = 3


def log_to_file(home: Home) -> Path:
    """Send the program's log to its file; return the file. A home that cannot be written has none."""
    path = home.folder / ".logs" / "utatane.log"
    handler: logging.Handler
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handler = RotatingFileHandler(path, maxBytes=MAX_BYTES, backupCount=KEPT, encoding="utf-8", delay=True)
    except OSError:
        handler = logging.NullHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger()
    for old in [h for h in root.handlers if isinstance(h, RotatingFileHandler)]:
        root.removeHandler(old)
        old.close()
    root.addHandler(handler)
    root.setLevel(logging.WARNING)
    return path
