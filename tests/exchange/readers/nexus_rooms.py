"""Rooms of Nexus Ark as the app has laid them out over the years, with all that it writes (`rooms.json`)."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

Files = Mapping[str, Any]

PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(40)

_ROOMS = json.loads(Path(__file__).with_name("rooms.json").read_text("utf-8"))
OCTOBER, NOVEMBER, ENTITY, CORE = (_ROOMS["texts"][name] for name in ("OCTOBER", "NOVEMBER", "ENTITY", "CORE"))


def _room(generation: str) -> Files:
    told = {**_ROOMS["common"], **_ROOMS[generation]}
    return {name: bytes.fromhex(one["hex"]) if [*one] == ["hex"] else one for name, one in told.items()}


SPECIFICATION = _room("specification")
"""As the specification has it: one log, one file a day."""

MONTHLY = _room("monthly")
"""A file a month for everything, and what the move left behind."""

ARCHIVES = _room("archives")
"""Archives cut by size, and a core memory with the diary in it."""

NEWEST = _room("newest")
"""Cards with a list of their own, sessions, and a folder for everything that the persona works at."""

GENERATIONS = {"specification": SPECIFICATION, "monthly": MONTHLY, "archives": ARCHIVES, "newest": NEWEST}
