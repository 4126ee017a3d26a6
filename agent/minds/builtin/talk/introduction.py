"""Introductions: the name that somebody gives, in which sentence, and what is no name though it stands like one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from agent.minds.builtin.talk.told import acts
from managers.language.emotion import read_emotion
from managers.language.english import verb_base
from managers.language.lexicons import word_list
from managers.language.reading.reading import Reading
from managers.language.words import words

GIVES_NAME = "give_name"

_NAME_JA = r"[「『]?(?P<name>[一-龠々ぁ-んァ-ヶーA-Za-z]{1,10}?)[」』]?"
_IS_JA = r"(?:です|だよ|だ(?![ろっ])|といいます|っていいます|って言います|と言います|っていう|って名前|と申します|やで|ですよ|よ|$)"
_ME_JA = r"(?:私|僕|俺|わたし|ぼく|おれ|あたし|自分|うち|わし|儂|おいら)"
_START_JA = r"(?:^|[。、!！?？〜～ー♪…\s「『])"
_CALL_JA = (
    r"(?:って|と)呼んで(?=$|[。、!！?？〜～ー♪…\s]|ください|下さい|ね|ほしい|欲しい|よ|くれ|もらえ|いい|ちょうだい)"
)
_SURE = re.compile(
    rf"{_ME_JA}の(?:名前|なまえ)は、?{_NAME_JA}(?:です|だよ|だ(?![ろっ])|って|といいます|っていう|と申します|。|$)"
    rf"|(?:{_START_JA}|{_ME_JA}(?:は|を|のこと(?:は|を)))(?P<called>[^はがをのに、。!！?？〜～♪…\s「『」』]{{1,16}}?)[」』]?{_CALL_JA}"
    rf"|(?:(?:{_ME_JA}|みんな|友達|周り)[^。]{{0,8}}?(?:からは?|、|は|に)|^)[「『]?(?P<known>[^はがをのに、。!！?？〜～♪…\s「『」』]{{1,10}}?)[」』]?(?:って|と)呼ばれ"
    rf"|(?:{_START_JA}|{_ME_JA}は)(?P<named>[一-龠々ぁ-んァ-ヶーA-Za-z]{{1,8}})(?:といいます|っていいます|って言います|と申します)(?:$|[。、!！\s])"
    rf"|(?:はじめまして|初めまして)[、。!！〜～ー♪\s]*(?:{_ME_JA}は)?[「『]?(?P<met>[一-龠々ぁ-んァ-ヶーA-Za-z]{{1,10}}?)[」』]?" + _IS_JA
    + r"|\b(?:[Mm]y name(?:'s| is)|[Cc]all me|[Pp]eople call me) (?P<en>[A-Za-z]{2,15})\b"
    r"|\b(?:I'?m|I am) (?P<glad>[A-Z][A-Za-z]{1,15})(?: [A-Z][a-z]+)?(?=[,.!]? (?:[Nn]ice|[Pp]leased|[Gg]lad|[Gg]ood) to meet)"
)  # fmt: skip
_NOTED = re.compile(r"(?:^|\s)名前は[「『](?P<noted>[^「」『』]{1,16})[」』]")
_NOT_BUT = re.compile(r"^.*?(?:じゃな[いく](?:て)?|ではな[いく](?:て)?|より(?:も|は)?)、?")
"""健太じゃなくて健一って呼んで: what is not meant stands first."""
_HELLO_EN = r"(?:(?:hi+|hello+|hey+|good (?:morning|day|afternoon|evening)|greetings|yo|howdy|hiya)(?: [a-z]+)?)"
_WEAK_EN = re.compile(
    rf"^(?P<hello>{_HELLO_EN}[,.! ]+(?:and )?)?(?:i'?m|i am|this is|it's|the name's) (?P<name>[a-z]{{2,15}})(?: [A-Z][a-z]+)?(?: here| by the way)?"
    r"(?:[.! ]*$|(?P<goes_on>[,;] (?=(?:i|i'm|my|we|from)\b)| and (?=(?:i|i'm|my|we)\b)))",
    re.IGNORECASE,
)
_WEAK_JA = re.compile(
    r"^(?P<hello>(?:こんにち[はわ]|こんばん[はわ]|おはよう(?:ございます)?|やあ|やっほー?|どうも|ハロー|ども)[、。!！ ]*)?(?:(?:私|僕|俺|わたし|ぼく|あたし|わし)は)?(?:名前は、?)?"
    + _NAME_JA
    + r"(?:です|だよ|と申します|っていいます|って言います|といいます|って名前(?:です|だよ)?)(?:[。!！ー〜]*|[、。!！ ]*よろしく.{0,8})$"
)
_BARE = re.compile(r"^(?P<name>[一-龠々ぁ-んァ-ヶー]{1,8}|[A-Za-z]{2,15})(?:です|だよ|でいいよ|でいいです)?[.。!！]*$")
_NAMED_JA = re.compile(
    r"^(?:お)?名前は、?[「『]?(?P<name>[一-龠々ぁ-んァ-ヶーA-Za-z]{1,10}?)[」』]?(?:です|だよ|だ)?[.。!！]*$"
)
_I_AM_JA = re.compile(rf"^{_ME_JA}は、?{_NAME_JA}[.。!！]*$")
"""わしは茂。 With no です behind it, this is a name only where the dictionary knows one."""
_ASKED = re.compile(
    r"何と呼べば|何て呼べば|名前を(?:聞|教え)|お名前は|名前、聞|what shall i call you|your name\?", re.IGNORECASE
)
_NO_NAMES = frozenset(
    """何 なに なん 秘密 内緒 ひみつ ないしょ 未定 匿名 ない あなた 私 それ これ そう 暇 ひま 普通 ふつう 元気 久しぶり ひさしぶり 初めて はじめて 無理 だめ ダメ 本当 ほんと 今日 今 はい うん いや
    sorry fine back home here okay ok good tired sad happy not late early busy free hungry thirsty sick ill done alone new vegan single
    married pregnant sure afraid alright well cold hot bored lost stuck ready awake asleep old young it that this you me one nobody
    someone something what who just so very really all in on at from a an the german french english japanese hey hi hello yes no god man woman
    student teacher human person""".split()  # noqa: SIM905  # words read best as words
)


def was_asked_name(spoken: str) -> bool:
    """Tell whether some words ask for a name."""
    return bool(_ASKED.search(spoken))


_EARLY = 3
"""In so many first messages 名前は… with nobody else spoken of gives one's own; later on, that of whatever was told."""


def is_about_oneself(earlier: Sequence[str]) -> bool:
    """Tell whether a name without an owner (名前は遥) can be nobody's but the speaker's: early, and nobody was told of."""
    return len(earlier) < _EARLY and not any(
        word.entity or any(word.surface.lower() in word_list("ja", listed) for listed in ("persons", "pets"))
        for text in earlier
        for word in words(text[:500])
    )


def name_given(texts: Sequence[str], spoken: Sequence[str] = ()) -> str:
    """Return the name that the user gave in their own words, the latest one, or empty.

    `spoken` are the persona's words before each text, where there are such: a bare name answers "what shall I call you?".
    """
    for at in range(len(texts) - 1, -1, -1):
        before = spoken[at - 1] if 0 < at <= len(spoken) else ""
        if name := name_in(texts[at][:2000], is_first=at == 0, before=before, is_own=is_about_oneself(texts[:at])):
            return name
    return ""


def name_noted(notes: str, persona: str) -> str:
    """Return the name that the notes give in so many words; never the persona's own."""
    found = [(match.start(), _given(match)) for sign in (_SURE, _NOTED) for match in sign.finditer(notes[:20_000])]
    found.sort()
    return next(
        (_written(name) for _, name in reversed(found) if name.lower() not in {*_NO_NAMES, persona.lower()}), ""
    )


def _given(match: re.Match[str]) -> str:
    return _NOT_BUT.sub("", next(group for group in match.groups() if group))


def parted(text: str, name: str) -> str:
    """Let what follows an introduction stand as a sentence of its own: "my name is Aoi, I work as a nurse"."""
    return re.sub(
        rf"({re.escape(name)}(?: [A-Za-z]+)?)(?:[,;]| and) (?=(?:i|i'm|my|we)\b)",
        r"\1. ",
        text,
        count=1,
        flags=re.IGNORECASE,
    )


def name_in(text: str, *, is_first: bool, before: str = "", is_own: bool = False) -> str:
    """Return the name that one message gives, or empty.

    Args:
        text: the message.
        is_first: nothing was said before it.
        before: what the persona said before it.
        is_own: a name without an owner can only be the speaker's.
    """
    for sure in _SURE.finditer(text):
        name = _given(sure)
        if name and name.lower() not in _NO_NAMES and (name.isascii() or _is_one_word(name)):
            return _written(name)
    asked = was_asked_name(before)
    for at, line in enumerate(re.split(r"(?<=[.!。！])\s*|\n", text)[:6]):
        match = _WEAK_EN.match(line.strip()) or _WEAK_JA.match(line.strip())
        if match is None and asked:
            match = _BARE.match(line.strip())
        is_open = at == 0 and (is_first or is_own)
        if match is None and (asked or is_open):
            match = _NAMED_JA.match(line.strip())
            if match is not None and _is_said_to_be_name(match.group("name")):
                return _written(match.group("name"))
        if (
            match is None
            and is_open
            and (plain := _I_AM_JA.match(line.strip()))
            and _is_known_name(plain.group("name"))
        ):
            match = plain
        if match is None:
            continue
        name = match.group("name")
        is_expected = asked or is_open or is_first or bool(match.groupdict().get("hello")) or "よろしく" in text
        if match.groupdict().get("goes_on") and not (is_expected and name[0].isupper()):
            continue
        if _is_name(name, is_expected=is_expected):
            return _written(name)
    return ""


def _is_name(name: str, *, is_expected: bool) -> bool:
    """Tell Aoi from tired, and あおい from さむい: names are what no table of feelings, deeds or things knows."""
    lower = name.lower()
    is_loose = not name.isascii() and not _is_one_word(name)
    if is_loose or lower in _NO_NAMES or read_emotion(lower).emotion != "neutral":
        return False
    found = words(name)
    if any(word.entity == "person" for word in found) or (is_expected and _is_known_name(name)):
        return True
    if name.isascii():
        if lower.endswith(("ing", "ed")) or verb_base(lower) in acts("en") or lower in word_list("en", "light"):
            return False
        known_kind = words(f"I am {lower}")[-1].kind
        return known_kind in ("noun", "proper") and (name[0].isupper() or is_expected)
    if len(found) != 1 or not is_expected or re.search(r"[一-龠]", name):
        return False
    word = found[0]
    is_known = word.normal in acts("ja") or word.lemma in acts("ja") or word.surface in word_list("ja", "light")
    return word.kind in ("noun", "proper", "adjective", "function") and not is_known and 2 <= len(name) <= 6  # noqa: PLR2004  # kana names


def _is_known_name(name: str) -> bool:
    """Tell 茂 and 遥, which the dictionary has as names of people, though one sign alone is mostly no name."""
    found = words(name)
    return len(found) == 1 and (found[0].entity == "person" or found[0].form in ("名", "姓"))


def _is_said_to_be_name(name: str) -> bool:
    """Tell what stands behind 名前は for a name: any noun (湊), whatever else it may mean."""
    found = words(name)
    return len(found) == 1 and found[0].kind in ("noun", "proper") and name not in _NO_NAMES


def _is_one_word(name: str) -> bool:
    """Tell 美咲 from 妻は美咲: a name holds no verb, and no particle but where it is all one such word (のの)."""
    found = words(name)
    return len(found) == 1 or not any(
        word.kind == "verb" or "助詞" in word.form or word.lemma == "だ" for word in found
    )


def _written(name: str) -> str:
    return name[:1].upper() + name[1:] if name.isascii() else name


def marked(read: Reading, name: str) -> Reading:
    """Return a message read with the sentence that gives the name known as an introduction: it tells nothing else."""
    sentences = tuple(
        replace(sentence, known_act=GIVES_NAME)
        if name.lower() in sentence.text.lower() and _is_introduction(sentence.text)
        else sentence
        for sentence in read.sentences
    )
    return replace(read, sentences=sentences)


def _is_introduction(text: str) -> bool:
    bare = text.strip()
    if any(sign.match(bare) for sign in (_WEAK_EN, _WEAK_JA, _BARE, _NAMED_JA, _I_AM_JA)):
        return True
    match = _SURE.search(bare)
    return match is not None and len(bare) - len(match.group()) <= 24  # noqa: PLR2004  # a longer sentence tells more than a name
