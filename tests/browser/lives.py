"""A life to look at: weeks of talk, an evening's words a day, and a dream every night."""

from datetime import datetime, timedelta
from random import Random

from agent.services import open_services
from managers.memory.log import ConversationLog
from managers.storage.clock import SystemClock
from managers.storage.errors import Lang
from managers.storage.paths import Home
from managers.storage.settings import SettingsFile
from tests.fakes import HandClock
from tests.homes import PERSONAS, USERS, live

SAID: dict[Lang, tuple[str, ...]] = {
    "ja": (
        "ただいま。やっと引っ越しの荷ほどきが終わったよ。",
        "おかえり、ミナ。三日がかりだったね。窓の外はどんな景色?",
        "川が見える。夕方になると橋の灯りがならぶの。写真撮ればよかったな。",
        "橋の灯り、いいね。\n\n- 夕方の色\n- 水にうつる光\n- 少し冷たい風\n\nそういうの、ちゃんと預かっておくよ。",
    ),
    "en": (
        "I'm home. The last box is unpacked at last.",
        "Welcome back, Mina. Three whole days of boxes! What can you see from the window?",
        "The river. In the evening the lamps on the bridge come on one by one.",
        "One by one, I like that.\n\n- the colour of the evening\n- light on the water\n- a little cold wind\n\nI'll keep that safe for you.",
    ),
}
"""What was said yesterday evening, by the user and the persona in turn."""


def let_two_live(home: Home, days: int) -> None:
    """Make a home in which the first meeting is long past, and two people have talked until yesterday evening."""
    open_services(home).close()
    settings = SettingsFile(home.settings)
    settings.change("page", onboarded=True, offers_models=False)
    settings.change("mind", provider="builtin")
    for lang, persona in PERSONAS.items():
        yesterday = datetime.now().date() - timedelta(days=1)
        clock = HandClock(datetime.now() - timedelta(days=days))
        services = open_services(home, clock, Random(8))
        live(services, clock, lang, [yesterday - timedelta(days=left) for left in range(days)][::-1], nights=days)
        services.close()
        log = ConversationLog(home.persona(persona), SystemClock(), Random(9))
        moment = datetime.now().replace(hour=19, minute=42, second=0) - timedelta(days=1)
        for number, text in enumerate(SAID[lang]):
            role, speaker = ("persona", persona) if number % 2 else ("user", USERS[lang])
            log.append(role, speaker, text, time=moment)  # type: ignore[arg-type]  # roles
            moment += timedelta(minutes=2)
        log.begin_topic()  # so that it has to recall, not only to look up the page
