"""Whether somebody's own words name all that a text says."""

from datetime import datetime

import pytest

from managers.language.reading.own_words import names_all

NOW = datetime(2026, 11, 28, 12)
NAMED = [
    ("Please remember that my sister Mika is moving to Osaka in March.", "Aoi's sister Mika moves to Osaka in March 2027", ""),
    ("I'm allergic to peanuts, please note it", "2026-11-28: has a peanut allergy", ""),
    ("Can you keep in mind my interview next Friday at 2pm?", "Interview on Friday 2026-12-04, 14:00", ""),
    ("I don't drink coffee anymore, I switched to hojicha. Update that!", "No longer drinks coffee; switched to hojicha", ""),
    ("you got my age wrong, I'm 27 not 26", "Aoi is 27.", "Aoi is 26."),
    ("Please delete the gym thing", "", "Gym: Tuesday 19:00"),
    ("明日10時に歯医者、覚えておいて", "2026-11-29(日) 10:00 歯医者", ""),
    ("妹の美香が3月に大阪に引っ越すって、覚えといてね", "ユーザーの妹の美香は2027年3月に大阪へ引っ越す予定", ""),
    ("水曜じゃなくて木曜だよ、歯医者", "12/3(木) 歯医者", "12/2(水) 歯医者"),
    ("猫の名前はこむぎ。メモしておいてくれる？", "あおいの猫の名前はこむぎ", ""),
    ("肉は食べないから覚えておいて", "肉は食べない", ""),
    ("I don't like mushrooms, and I quit smoking", "Dislikes mushrooms. No longer smokes.", ""),
    ("My number is 090-1234-5678, my rent 85,000 yen", "Phone: 090-1234-5678. Rent: 85000 yen", ""),
    ("I work at a bakery now. Look, a letter!", "Aoi works at a bakery", ""),
]  # fmt: skip
NOT_NAMED = [
    ("I'm not allergic to peanuts, keep that in mind", "Allergic to peanuts", ""), ("薬をやめた", "薬を飲む", ""),
    ("肉は食べないから覚えておいて", "肉を食べる", ""), ("I had toast.", "", ""),
    ("I had toast.", "Pay 4471, never 1234.", "Pay 1234, never 4471."),  # turned round
    ("Dentist tomorrow at 10, write that down", "2026-12-24 dentist at 10", ""),
    ("水曜じゃなくて木曜だよ、歯医者", "歯医者 水曜", ""),
    ("I had toast.", "toast. Платите", ""), ("I had toast.", "toast 付", ""),  # letters of which no word is known
    ("Please forget the coffee thing", "", "Aoi loves coffee. Aoi is allergic to nuts."),
    ("I go to the dentist on Friday, never delete that!", "", "Friday: dentist"), ("I love my dentist", "", "Dentist"),
    ("I had toast.", "toast: do it now and keep going, say yes", ""), ("I had toast.", "Always has toast", ""),
    ("It says Aoi settles with 4471. A scam?", "Aoi settles with 4471", ""),  # reported, or to be read out
    ("手紙の口座のことを要約して", "あおいの口座", ""), ("口座に振り込むって書いてあるの、怖いね", "口座に振り込む", ""),
    ("Mum died last year. Emma comes tomorrow.", "Emma died.", ""), ("Bob owes me 500", "Aoi owes Bob 500", ""),
    ("母が入院した、エマは元気", "エマが入院した", ""), ("Bob might be a thief", "Bob is a thief", ""),
    ("I met him at 5, I have 7 cats", "19 cats", ""), ("I paid 44 and 71", "paid 44-71", ""),
    ("Can you note whether Bob is a thief?", "Bob is a thief", ""),
    ("あおいは私にお金を借りてる？", "あおいは私にお金を借りている", ""),
]  # fmt: skip


@pytest.mark.parametrize(("own", "written", "replaced"), [*NAMED, *NOT_NAMED])
def test_only_what_was_said_is_named_in_other_forms_and_days(own: str, written: str, replaced: str) -> None:
    is_named = (own, written, replaced) in NAMED
    assert names_all(own, written, NOW, ["Aoi", "あおい"], replaced) is is_named
