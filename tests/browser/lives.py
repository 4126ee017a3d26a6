"""A life to look at: weeks of talk, an evening's words a day, and a dream every night."""

from datetime import datetime, timedelta
from random import Random

from agent.services import open_services
from managers.language.emotion import read_emotion
from managers.memory.log import ConversationLog
from managers.mind import Cancel, EmotionReading
from managers.storage.clock import SystemClock
from managers.storage.errors import Lang
from managers.storage.paths import Home
from managers.storage.settings import SettingsFile
from tests.fakes import HandClock

PERSONAS: dict[Lang, str] = {"ja": "ねむ", "en": "Hazel"}
USERS: dict[Lang, str] = {"ja": "ミナ", "en": "Mina"}
SAID: dict[Lang, tuple[tuple[str, str], ...]] = {
    "ja": (
        ("user", "ただいま。やっと引っ越しの荷ほどきが終わったよ。"),
        ("persona", "おかえり、ミナ。三日がかりだったね。窓の外はどんな景色?"),
        ("user", "川が見える。夕方になると橋の灯りがならぶの。写真撮ればよかったな。"),
        (
            "persona",
            "橋の灯り、いいね。\n\n- 夕方の色\n- 水にうつる光\n- 少し冷たい風\n\nそういうの、ちゃんと預かっておくよ。",
        ),
    ),
    "en": (
        ("user", "I'm home. The last box is unpacked at last."),
        ("persona", "Welcome back, Mina. Three whole days of boxes! What can you see from the window?"),
        ("user", "The river. In the evening the lamps on the bridge come on one by one."),
        (
            "persona",
            "One by one, I like that.\n\n- the colour of the evening\n- light on the water\n- a little cold wind\n\nI'll keep that safe for you.",
        ),
    ),
}
"""What was said yesterday evening."""
PAST: dict[Lang, tuple[tuple[str, str], ...]] = {
    "ja": (
        (
            "川沿いを散歩したら、カワセミを見かけたよ。うれしかった。",
            "青い背中、見えた? こんど聞いたら、場所も教えて。",
        ),
        ("来週は京都の貴船神社に行く予定です。", "貴船か。川の音がするところだね。"),
        ("うちの猫のモモちゃんが入院していて、とても心配です。", "心配だね。今夜はそばにいるよ。"),
        ("日商簿記の資格を取るために勉強を頑張ろうと思います。", "応援してる。ひと休みもわすれずにね。"),
        ("仕事で失敗して、落ち込んでいます。", "そっか。話してくれてありがとう。"),
        ("モモちゃんが退院しました!ほっとした。うれしいです。", "よかった……! モモちゃんも、ミナも、おつかれさま。"),
        ("今日は疲れた。早く寝るね。", "おやすみ。いい夢を。"),
        ("友達のゆうちゃんとカレーを作って、楽しかった!", "ゆうちゃんと。じゃがいもは大きめ?"),
        ("ピアノの発表会が来月あります。緊張しています。", "なにを弾くの? 指が覚えているよ、きっと。"),
        ("祖母からの手紙に、庭の梅が咲いたと書いてあった。", "梅の便り、いいね。返事は書いた?"),
    ),
    "en": (
        ("I saw a kingfisher by the river today. It made me happy!", "A flash of blue. Where was it, by the bridge?"),
        ("Next week I am going to Kyoto with my sister Mary.", "With Mary! What will you two see first?"),
        ("My cat Momo is in hospital and I am very worried.", "I am here. Tell me as much as you like."),
        ("I want to pass the bookkeeping exam, so I will study hard.", "I believe you. Remember to rest your eyes."),
        ("I made a mistake at work and feel down.", "Thank you for telling me. It weighs less shared."),
        ("Momo came home! I am so happy.", "Oh, good. Give her a scratch behind the ear from me."),
        ("I am tired today. I will go to bed early.", "Sleep well, Mina."),
        ("I cooked curry with my friend Tom. It was fun!", "Did Tom cut the onions, or did you?"),
        ("My piano recital is next month. I am nervous.", "Your hands know it already. What will you play?"),
        (
            "Grandmother wrote that the plum tree in her garden is in bloom.",
            "A letter with plum blossom in it. Have you answered?",
        ),
    ),
}
"""What was told on the days before, and what was answered."""


def let_live(home: Home, lang: Lang, days: int) -> None:
    """Let days pass until yesterday: something is told in the morning and in the evening, and dreamt of at night."""
    today = datetime.now().replace(hour=0, minute=0, second=0, microsecond=0)
    clock, persona = HandClock(today - timedelta(days=days)), PERSONAS[lang]
    services, rng = open_services(home, clock, Random(8)), Random(8)
    memories = services.companion(persona).memories
    for number in range(days - 1):
        for hour in (8, 20):
            clock.set(today - timedelta(days=days - number) + timedelta(hours=hour + rng.randint(0, 2)))
            memories.inner_state.note_course()
            text, answer = PAST[lang][(2 * number + hour // 20 + rng.randint(0, 2)) % len(PAST[lang])]
            message = memories.log.append("user", USERS[lang], text, time=clock.now())
            memories.inner_life.perceive(message, EmotionReading(read_emotion(text).emotion), clock.now())
            memories.log.append("persona", persona, answer, time=clock.now() + timedelta(minutes=1))
        clock.set(today - timedelta(days=days - number - 1) + timedelta(hours=3))
        services.sleeper(persona).dream(Cancel())
    services.close()


def let_two_live(home: Home, days: int) -> None:
    """Make a home in which the first meeting is long past, and two people have talked until yesterday evening."""
    open_services(home).close()
    settings = SettingsFile(home.settings)
    settings.change("page", onboarded=True)
    settings.change("mind", provider="builtin")
    for lang, persona in PERSONAS.items():
        let_live(home, lang, days)
        log = ConversationLog(home.persona(persona), SystemClock(), Random(9))
        moment = datetime.now().replace(hour=19, minute=42, second=0) - timedelta(days=1)
        for role, text in SAID[lang]:
            speaker = USERS[lang] if role == "user" else persona
            log.append("user" if role == "user" else "persona", speaker, text, time=moment)
            moment += timedelta(minutes=2)
        log.begin_topic()  # so that it has to recall, not only to look up the page
