"""Taking up what was told in Japanese: what its verb is about, and the phrases to ask after."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agent.minds.builtin.talk.echo_ja import echo_of
from agent.minds.builtin.talk.noun_phrases_ja import is_person, phrases, spoken, trimmed
from agent.minds.builtin.talk.told import Told, acts
from agent.minds.builtin.talk.voice import Voice
from managers.language.lexicons import word_list
from managers.language.reading.reading import Sentence
from managers.language.times import tells_when
from managers.language.words import Word

_RELATIVE = re.compile(
    "お?(?:母|父|妹|弟|姉|兄|祖母|祖父|夫|妻|嫁|奥|旦那|息子|娘|両親|家族|親|おばあ|おじい|子供|孫|いとこ)"
)


_JOB = re.compile(
    r"(?:で|として)(?:働いて|勤めて|仕事(?:を)?して|バイト(?:を)?して|アルバイト(?:を)?して)(?:い)?(?:る|ます)"
)
_BLOCKED = re.compile(
    r"(?:たい|ほしい|欲しい)(?:んだ|んです|のだ|のです|です)?(?:けれ?ど|けど|が、|のに).*"
    r"(?:禁止|無理|だめ|ダメ|駄目|でき(?:な|ず|ません)|られ(?:な|ません)|反対|許して|足りな|余裕が?な|ない(?:し|から|んだ|の|よ|$)|なくて|高(?:い|くて|すぎ))"
)
_THWARTED = re.compile(
    r"(?:予定|つもり|はず|約束)だった(?:のに|んだけど|けど)|(?<!もう)(?:行け|でき|出来|会え|見られ|見れ|乗れ|食べられ|出られ|泊まれ)なく(?:な(?:る|り|っ)|て残念)"
)
"""What was meant to be and will not be."""
_NOT_YET = frozenset("明日 あした 明後日 あさって 来週 再来週 来月 来年 今度".split())  # noqa: SIM905  # words read best as words
_FAVOUR = re.compile(r"[てで](?:くれ|もら|いただ|下さ|くださ)(?:った|いました|いた|いまし|いて|って|て|た)")
_CHECKUP = re.compile(
    r"(?:病院|歯医者|歯科|医者|整形|眼科|内科|外科|耳鼻科|皮膚科|小児科|産婦人科|クリニック|動物病院).{0,10}(?:予約|行[くっか]|日(?:だ|で|$)|に行)|検診|健診|健康診断|人間ドック|通院|予防接種|ワクチン|(?:血液|精密|胃|心電図|再)検査"
)
_ILLNESS = re.compile(
    r"手術|入院|骨折|捻挫|ぎっくり|腰痛|膝痛|頭痛|風邪|発熱|熱[がを](?:出|ある)|寝込[んむ]|インフル|(?:腰|膝|ひざ|肩|頭|お?腹|胃|歯|足|首|喉)[がはも](?:とても|すごく|ひどく|まだ|また)?(?:痛|いた[いむんみ])"
)
_GARDEN = re.compile(
    r"水(?:を)?(?:や(?!め)|あげ)|植え|種(?:を)?(?:ま[いきく]|蒔)|収穫|草(?:むしり|取り|刈り)|実が.{0,3}(?:つ[いく]|な[っる])|芽が出|剪定|畑仕事|庭仕事|花が咲|咲い[たて]"
)
_DAY = re.compile(
    r"[0-9０-９一二三四五六七八九十]日(?!間)|[月火水木金土日]曜|明日|あした|明後日|あさって|今夜|今晩|今日|週末|誕生日|記念日|当日|クリスマス|大晦日|元日|[0-9](?:/|月)[0-9]"
)
_DUTY = re.compile(r"な(?:きゃ|くちゃ|ければ(?:なら|いけ)|いと(?:いけ|だめ|$)|くて(?:は|ちゃ))|べき")
_OTHERS_TOPIC = re.compile(r"([^、。はがも]{1,8})は(?!に|で)")
_HEARSAY = re.compile(r"(?:んだって|だって|らしい|そうだ|そうです|って言ってた)(?:よ|ね)?$")


def take_up(sentence: Sentence, voice: Voice, persona: str) -> Told:
    """Read what a Japanese sentence tells."""
    found = sentence.words
    person = _phrase_before(found, ("と", "に", "から"), voice, wants_person=True)
    subject = _phrase_before(found, ("は", "が"), voice, wants_person=True)
    place = _phrase_before(found, ("へ", "に", "で"), voice, wants_person=False)
    topic, is_pet = _topic(found, voice)
    is_denied = _is_denied(found)
    act = "" if is_denied else _act(found)
    is_ahead = not is_denied and _is_future(found, sentence.plain)
    is_past = not is_ahead and any(_is_past(word) for word in found[-5:])
    act = _by_its_words(sentence.plain, act, is_past=is_past)
    if (
        act == "live"
        and (topic_of := _OTHERS_TOPIC.match(sentence.text))
        and topic_of[1] not in word_list("ja", "first_persons")
    ):
        act = ""  # シンは大阪に住んでる: nobody asks the teller how they like it there
    if (subject or person) and act not in ("checkup", "illness") and _FAVOUR.search(sentence.plain):
        act = "kindness"  # 夫がカレーを作ってくれた: somebody's doing, and for the teller
    return Told(
        echo=echo_of(sentence, voice, persona),
        act="job" if act == "work" and _JOB.search(sentence.plain) else act,
        is_future=is_ahead,
        is_past=is_past,
        topic=topic,
        is_wish=_is_wish(found),
        is_blocked=bool(_BLOCKED.search(sentence.plain) or _THWARTED.search(sentence.plain)),
        is_own=not subject and not _is_of_theirs(found),
        is_dated=tells_when(sentence.text),
        names_day=bool(_DAY.search(sentence.plain)),
        person=person or subject,
        place=place,
        is_pet=is_pet,
        is_duty=bool(_DUTY.search(sentence.plain)),
        is_hearsay=bool(_HEARSAY.search(sentence.plain)),
        is_relative=bool(_RELATIVE.search(person or subject)),
    )


def _by_its_words(plain: str, act: str, *, is_past: bool) -> str:
    """Return what is told of the body or the garden, whatever its verb is: nobody is asked how an operation felt."""
    if _CHECKUP.search(plain):
        return "checkup"
    if not act and _GARDEN.search(plain):
        return "garden"
    return "illness" if _ILLNESS.search(plain) and (is_past or act in ("", "start", "mishap")) else act


def _is_of_theirs(found: Sequence[Word]) -> bool:
    """Tell 息子の湊は… and 妹の結婚式は…, where somebody of the teller's comes first, from what the teller does."""
    return any(
        end < len(found)
        and found[end].surface in ("は", "が")
        and end - start > 1
        and found[start].surface in word_list("ja", "persons")
        for start, end in phrases(found)
    )


def _is_past(word: Word) -> bool:
    """Tell た, だった and the だ of 休んだ."""
    return word.kind == "function" and (word.lemma in ("た", "だった") or word.normal == "た")


def _is_denied(found: Sequence[Word]) -> bool:
    """Tell 好きじゃない and そんなつもりじゃない from what is so."""
    return any(word.normal in ("無い", "ない", "ぬ", "ず", "ん") and word.kind != "noun" for word in found[-4:])


def _act(found: Sequence[Word]) -> str:
    known = acts("ja")
    for at in range(len(found) - 1, -1, -1):
        word = found[at]
        if (
            word.kind == "verb"
            and at
            and found[at - 1].surface in ("て", "で", "ちゃ", "じゃ")
            and known.get(word.normal) != "go"
        ):
            continue  # an auxiliary: 食べてみる, 貸してくれる
        if (
            word.kind == "verb"
            and at
            and found[at - 1].surface in ("て", "で")
            and word.lemma in ("いく", "くる", "行く", "来る")
        ):
            continue
        if word.kind in ("verb", "noun", "adjective"):
            act = known.get(word.lemma) or known.get(word.normal)
            if act:
                return act
            if word.kind == "verb" and word.normal not in ("為る", "居る", "成る", "有る", "思う", "言う"):
                return ""
    return ""


def _is_wish(found: Sequence[Word]) -> bool:
    """Tell 行きたい from 行きたくない."""
    return any(
        word.lemma == "たい"
        and word.kind == "function"
        and not any(later.normal in ("無い", "ない") for later in found[at + 1 : at + 3])
        for at, word in enumerate(found)
    )


_AGREED = re.compile(
    r"(?:約束|予約)(?:を)?(?:し|取っ|とっ|入れ)|(?:行く|する|会う|泊まる|[うくすつるぶむ])ことに(?:し|なっ)"
)
"""What was agreed on is to come, though the agreeing is past; so is what one remembers of tomorrow (明日だった)."""


def _is_future(found: Sequence[Word], plain: str) -> bool:
    future = word_list("ja", "future")
    if _AGREED.search(plain) or (plain.endswith("だった") and any(w.surface in _NOT_YET for w in found)):
        return True
    if any(_is_past(word) for word in found[-4:]):
        return False
    return any(word.surface in future or (word.lemma == "たい" and word.kind == "function") for word in found)


def _phrase_before(found: Sequence[Word], particles: Sequence[str], voice: Voice, *, wants_person: bool) -> str:
    for span in phrases(found):
        start, end = trimmed(found, span)
        if (
            start == end
            or end >= len(found)
            or found[end].surface not in particles
            or found[end].form not in ("格助詞", "係助詞")
        ):
            continue
        is_someone = is_person(found, (start, end))
        if wants_person and is_someone:
            return spoken(found, (start, end), voice)
        is_place = any(word.entity == "place" for word in found[start:end]) or _act(found) == "go"
        if not wants_person and not is_someone and is_place:
            return spoken(found, (start, end), voice)
    return ""


def _topic(found: Sequence[Word], voice: Voice) -> tuple[str, bool]:
    """Return the phrase that most of the sentence is about: the object, else the subject, else the longest."""
    best, best_score = (0, 0), 0.0
    for span in phrases(found):
        start, end = trimmed(found, span)
        if start == end:
            continue
        if _is_pet(found[start:end]) and end < len(found) and found[end].surface in ("は", "が", "も", "、"):
            return spoken(found, (start, end), voice), True  # うちの猫、…: what it did is told of it
        particle = found[end].surface if end < len(found) else ""
        length = found[end - 1].end - found[start].start
        score = {"を": 3.0, "が": 2.0, "は": 1.5, "に": 1.2, "で": 1.0}.get(particle, 0.8) + min(length, 10) / 10
        if any(word.entity for word in found[start:end]):
            score += 0.6
        if end < len(found) and found[end].kind == "verb" and found[end].normal != "為る":
            score += 1.2  # ギター弾いた: the particle of the object left out
        if end == len(found) or found[end].kind == "symbol" or found[end].lemma in ("だ", "です"):
            score = 0.0 if found[end - 1].form in ("形状詞可能", "サ変形状詞可能") else 0.5  # the predicate: 雨は苦手
        if length > 1 and score > best_score:
            best, best_score = (start, end), score
    if not best_score:
        return "", False
    if "さん" in "".join(word.surface for word in found[best[0] : best[1]]):
        return spoken(found, best, voice), False
    return spoken(found, best, voice), _is_pet(found[best[0] : best[1]])


def _is_pet(phrase: Sequence[Word]) -> bool:
    """Tell a phrase that ends with an animal (うちの猫) from one of its things (猫の餌)."""
    return bool(phrase) and (phrase[-1].surface in word_list("ja", "pets") or phrase[-1].surface.endswith(("犬", "猫")))
