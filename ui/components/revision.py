"""A cheap token for what a persona's pages show: it changes whenever one of them would be drawn in another way."""

from pathlib import Path

from agent.companion import Companion
from agent.services import Services


def revision_of(services: Services, companion: Companion) -> str:
    """Return the token: the log, what is off the record, the turn, the history, the notes, and how long work stands."""
    turn, memories, paths = companion.turn, companion.memories, companion.memories.paths
    unwritten = companion.off_record[-1].id if companion.off_record else ""
    sleep = services.sleep.progress(paths.name)
    files = (
        paths.history / "refs/heads/main",
        paths.core_memory,
        paths.notepad,
        paths.held_writes,
        paths.persona_json,
        paths.lorebook,
        paths.system_prompt,
        paths.knowledge,
        services.home.settings,
    )
    parts = (
        memories.log.revision(),
        unwritten,
        turn.number if turn else 0,
        memories.recall.making,
        memories.map.making,
        memories.network.making,
        sleep.is_running,
        sleep.days_done,
        companion.is_mind_known(),
        sleep.stopping,
        services.fetched_so_far,
        services.backing_up,
        services.exported_so_far,
        *map(touched, files),
        *(notice.code for notice in services.notices.all),
    )
    return "/".join(map(str, parts))


def touched(path: Path) -> int:
    """Return when a file was changed last; 0 where there is none."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
