"""What models may cost, persona by persona, the word in time when a cap is near, and what calls carry away."""

import logging
import threading
from datetime import date

from managers.domains import PREFIX
from managers.domains.domain_store import domain_paths
from managers.personas import PersonaStore
from managers.storage.audit import Given, Kind, Recipient, record
from managers.storage.errors import Notice, UtataneError
from managers.storage.notices import NoticeBoard
from managers.storage.paths import Home
from managers.storage.settings import SettingsFile, UsageSettings, merged
from managers.storage.texts import Texts
from managers.usage.caps import Cap, Standing
from managers.usage.errors import cap_in_words
from managers.usage.ledger import Call
from managers.usage.meter import Meter

_say = Texts("notices/usage")

logger = logging.getLogger(__name__)

SOURCE = "usage"


def usage_limits(settings_file: SettingsFile, personas: PersonaStore, persona: str) -> UsageSettings:
    """Return the settings that hold for a persona's calls now: everybody's caps are everybody's.

    Raises:
        UnreadableError: nobody can tell whether there are caps.
    """
    common = settings_file.load_known()[0]
    if not persona:
        return common.usage
    try:
        own = personas.get(persona).settings
    except UtataneError:  # deleted or renamed while its last call was under way
        return common.usage
    limits = merged(common, own)[0].usage
    shared = {name: getattr(common.usage, name) for name in UsageSettings.model_fields if not _may_be_own(name)}
    return limits.model_copy(update=shared)


def note_leaving(home: Home, call: Call, given: Given) -> None:
    """Note in a persona's audit that something of it leaves this computer."""
    if call.persona:
        kind: Kind = "embedding_call" if call.purpose == "embedding" else "model_call"
        to = Recipient(call.service, call.host, call.model)
        is_domain = call.persona.startswith(PREFIX)
        paths = domain_paths(home, call.persona.removeprefix(PREFIX)) if is_domain else home.persona(call.persona)
        record(paths, call.time, kind, given, to=to, purpose=call.purpose)


def _may_be_own(name: str) -> bool:
    return name.startswith("persona_") or name == "when_reached"


def standings(meter: Meter, personas: PersonaStore) -> list[Standing]:
    """Return where every cap stands: everybody's, and each persona's."""
    found = {standing.cap: standing for standing in meter.standings()}
    for name in personas.list_names():
        found |= {standing.cap: standing for standing in meter.standings(name)}
    return list(found.values())


def warning(standing: Standing, limits: UsageSettings, today: date) -> Notice:
    """Say that a cap is near, or reached; with the day or month, for what is dismissed today is news tomorrow."""
    ja, en = cap_in_words(standing.cap, limits)
    when = f"{today:%Y-%m-%d}" if standing.cap.span == "day" else f"{today:%Y-%m}"
    if standing.left <= 0:
        en = f"{en[:1].upper()}{en[1:]}"
        return _say.notice("usage-reached", what={"ja": ja, "en": en}, when=when)
    return _say.notice("usage-near", what={"ja": ja, "en": en}, when=when)


class CapWarnings:
    """Puts a notice up once when a cap is near, and once when it is reached; takes it down when that is over."""

    def __init__(self, meter: Meter, notices: NoticeBoard) -> None:
        self._meter = meter
        self._notices = notices
        self._true: dict[Cap, tuple[date, Notice]] = {}
        self._looking = threading.Lock()

    def look(self, persona: str) -> None:
        """Look after a call of a persona; what was dismissed stays dismissed as long as it is true."""
        try:
            standings_now = self._meter.standings(persona)
        except UtataneError:
            logger.warning("the caps could not be looked at", exc_info=True)
            return
        today, limits = self._meter.today(), self._meter.limits("")
        with self._looking:
            told = {notice for _, notice in self._true.values()}
            others = {cap: one for cap, one in self._true.items() if cap.persona not in {"", persona}}
            self._true = {cap: one for cap, one in others.items() if is_same_span(cap, one[0], today)}
            for standing in standings_now:
                if standing.is_near:
                    self._true[standing.cap] = today, warning(standing, limits, today)
            up = self._notices.all
            true = [notice for _, notice in self._true.values()]
            self._notices.replace(SOURCE, [one for one in true if one not in told or one in up])


def is_same_span(cap: Cap, before: date, today: date) -> bool:
    """Tell whether two days are in one day, or one month, of a cap."""
    return before == today if cap.span == "day" else (before.year, before.month) == (today.year, today.month)
