"""What a night writes down where the person wishes placeholders: the log alone knows the values."""

from datetime import timedelta
from random import Random

from managers.memory.episodes import EpisodeStore
from managers.memory.log import ConversationLog
from managers.storage.paths import PersonaPaths
from managers.storage.settings import PrivacySettings
from tests.fakes import HandClock
from tests.sleep.dreamers import make_dreamer, memory_files, messages

TELEPHONE, MAIL = "0797-22-3456", "momo@example.jp"
DAY = (
    ("user", f"昨日、有馬温泉に行きました。宿の電話番号は{TELEPHONE}です。"),
    ("persona", "いいね！"),
    ("user", f"姉のメールアドレスは{MAIL}です。姉は神戸に住んでいます。"),
)


def _dreamt(paths: PersonaPaths, night: HandClock, privacy: PrivacySettings | None) -> str:
    """Return all that a night wrote of the day."""
    log = ConversationLog(paths, night, Random(1))
    evening = night.now().replace(hour=20, minute=0, second=0, microsecond=0) - timedelta(days=1)
    log.append_many(messages(evening, DAY, "a"))
    make_dreamer(paths, night, log, privacy=privacy).dream()
    assert not make_dreamer(paths, night, log, privacy=privacy).pending_days()
    assert TELEPHONE in paths.log.read_text("utf-8")
    return "".join(data.decode() for data in memory_files(paths).values())


def test_a_night_writes_what_was_said(paths: PersonaPaths, night: HandClock) -> None:
    written = _dreamt(paths, night, None)
    assert TELEPHONE in written
    assert MAIL in written


def test_a_summary_has_placeholders_where_that_is_wished_for(paths: PersonaPaths, night: HandClock) -> None:
    _dreamt(paths, night, PrivacySettings(mask_summaries=True))
    store = EpisodeStore(paths, night)
    (episode,) = [store.get(day) for day in store.days()]
    assert episode is not None
    told = episode.summary + "".join(episode.key_events)
    assert "[REDACTED_PHONE]" in told
    assert TELEPHONE not in told


def test_no_memory_has_the_values_where_that_is_wished_for(paths: PersonaPaths, night: HandClock) -> None:
    written = _dreamt(paths, night, PrivacySettings(mask_memories=True))
    assert "有馬温泉" in written
    assert "[REDACTED_PHONE]" in written
    assert TELEPHONE not in written
    assert MAIL not in written
