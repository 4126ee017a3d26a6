"""Erasing for good, with all that a persona has open: its index, its history, its inner state."""

import logging

from agent.forgetting import take_up
from agent.memories import Memories
from agent.minds.engine.engine import Engine
from managers.hygiene.erasure import BackupCopies, Erasure, Plan, Report
from managers.hygiene.erasure_plans import Planner
from managers.hygiene.errors import PlanChangedError
from managers.storage.edges import told
from managers.storage.errors import UtataneError, as_notice
from managers.storage.settings import EngineSettings
from managers.storage.window_storage import finish_clearing

logger = logging.getLogger(__name__)


def plan_erasure(memories: Memories, what: str = "", *, about: str = "") -> Plan:
    """Return what erasing a memory or a message (`what`, its id), or everything `about` somebody, would take.

    Raises:
        NothingToEraseError, NameTooShortError, SpeakersNameError
    """
    sheet = memories.sheet()
    speakers = [name for name in (sheet.persona, sheet.user_name) if name]
    planner = Planner(memories.paths, memories.clock, memories.log, memories.history, _erasure(memories), speakers)
    return planner.about(about) if about else planner.one(what)


def erase(memories: Memories, plan: Plan, *, seen: str = "") -> Report:
    """Erase what a plan says, and what follows from it.

    Args:
        memories: the persona's.
        plan: as it is now.
        seen: the mark of the plan that a person has been shown and said yes to; empty where they were shown this one.

    Raises:
        PlanChangedError: they were shown another one; nothing was changed.
        DiskFullError, UnwritableError, BusyError: what was begun is finished at the next start.
    """
    if seen and seen != plan.mark:
        raise PlanChangedError
    take_up(memories)
    report = _erasure(memories).carry_out(plan)
    _follow_up(memories, report)
    return report


def finish_erasing(memories: Memories) -> None:
    """Finish what a killed process began to erase, or an open window held; costs two looks at the disk where there is nothing."""
    try:
        report = _erasure(memories).finish()
        finish_clearing(memories.paths.home)
    except (UtataneError, OSError) as error:
        logger.warning("an erasure of %s waits to be finished", memories.paths.name, exc_info=True)
        memories.notices.replace("erasure", [as_notice("erasure-unfinished", told(error))])
        return
    memories.notices.replace("erasure", [])
    if report is not None:
        _follow_up(memories, report)


def _follow_up(memories: Memories, report: Report) -> None:
    """Let what is made from the memories be made from those that are left."""
    memories.inner_state.refresh(lang=memories.sheet().language)
    memories.shared.renew()
    Engine(memories.paths.home, EngineSettings).end()  # the prompts that it keeps in memory have what is erased in them
    logger.info("erased: %s; not reached: %d files", dict(report.counts), len(report.left))


def _erasure(memories: Memories) -> Erasure:
    return Erasure(memories.paths, memories.clock, memories.history, memories.recall, lambda: _backups(memories))


def _backups(memories: Memories) -> BackupCopies:
    from managers.exchange.backups.backup_erasing import ErasableBackups  # noqa: PLC0415  # only who erases needs it

    return ErasableBackups(memories.paths.home, memories.clock)
