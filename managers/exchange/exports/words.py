"""Days as exports write them, in full and for years to come."""

from datetime import date

from managers.storage.errors import Lang
from managers.storage.texts import Texts

_say = Texts("notices/exports")


def day_in_words(day: date, lang: Lang) -> str:
    """Return a day with its year and weekday."""
    weekday = _say("chat.weekdays", lang).split()[day.weekday()]
    month = _say("chat.months", lang).split()[day.month - 1]
    return _say("chat.day", lang, year=day.year, month=month, day=day.day, weekday=weekday)
