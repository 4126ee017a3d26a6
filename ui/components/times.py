"""Times as people say them."""

from datetime import date, datetime

from ui.locales import Texts

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def clock_time(moment: datetime) -> str:
    """Return hours and minutes."""
    return f"{moment:%H:%M}"


def day_name(day: date, today: date, t: Texts) -> str:
    """Return a day as a heading: today, yesterday, or its date (with the year when it is another)."""
    age = (today - day).days
    if age == 0:
        return t("times.today")
    if age == 1:
        return t("times.yesterday")
    weekday = t(f"times.{WEEKDAYS[day.weekday()]}")
    key = "times.day" if day.year == today.year else "times.day_with_year"
    return t(
        key, year=day.year, month=day.month, month_name=t(f"times.month_{day.month}"), day=day.day, weekday=weekday
    )


def short_day(day: date, t: Texts) -> str:
    """Return a day as it stands below a chart."""
    return t("heart.tick_date", month=day.month, month_name=t(f"heart.short_{day.month}"), day=day.day)


def when(moment: datetime, now: datetime, t: Texts) -> str:
    """Return a day and time for lists."""
    return f"{day_name(moment.date(), now.date(), t)} {clock_time(moment)}"
