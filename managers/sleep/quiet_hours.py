"""Quiet hours, nights and idleness: pure functions of local wall-clock time."""

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta

from managers.storage.settings import SleepSettings


def in_quiet_hours(now: datetime, settings: SleepSettings) -> bool:
    """Whether it is quiet: from the start hour to the end hour, over midnight if need be; never if equal."""
    start, end = settings.quiet_start_hour, settings.quiet_end_hour
    if start == end:
        return False
    return start <= now.hour < end if start < end else now.hour >= start or now.hour < end


def next_quiet(now: datetime, settings: SleepSettings) -> datetime:
    """Return when the next quiet hours begin; now if it is quiet."""
    if in_quiet_hours(now, settings):
        return now
    begins = datetime.combine(now.date(), time(settings.quiet_start_hour))
    return begins if begins > now else begins + timedelta(days=1)


def is_idle(last: datetime | None, now: datetime, minutes: float) -> bool:
    """Whether nobody has spoken for so long; a last word in the future (the clock was set back) is none."""
    return last is None or last > now + timedelta(hours=2) or now - last >= timedelta(minutes=minutes)


def missed_a_night(pending: Sequence[date], now: datetime, settings: SleepSettings) -> bool:
    """Whether a night has passed in which the oldest waiting day should have been dreamt of.

    A laptop that is shut every night never sees its quiet hours: then the dream is made up for when
    the persona is idle in the daytime.
    """
    if not pending or in_quiet_hours(now, settings):
        return False
    due = next_quiet(datetime.combine(pending[0] + timedelta(days=1), time(0)), settings)
    hours = (settings.quiet_end_hour - settings.quiet_start_hour) % 24 or 24
    return now >= due + timedelta(hours=hours)
