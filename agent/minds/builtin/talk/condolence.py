"""The dead: whom the user has lost is not asked after as if alive, and their days are met quietly."""

from __future__ import annotations

import re
from collections.abc import Iterable

from agent.minds.builtin.answers.synonyms import one_word_each
from agent.minds.builtin.talk.scene import Scene
from managers.language.reading.kinship import kin_words
from managers.language.words import sentences, words

_DEATH = re.compile(
    r"亡くな|亡くし|なくなりまし|死ん[だでじ]|死にまし|死別|他界|永眠|逝っ|逝き|葬儀|葬式|四十九日|命日|お墓|墓参|仏壇|遺影|形見"
    r"|\b(?:died|passed away|is dead|was dead|funeral|buried|his grave|her grave|my late|widow(?:er|ed)?|in loving memory)\b",
    re.IGNORECASE,
)
_LONG_AGO = re.compile(
    r"昔|戦争|戦時|子供の(?:頃|ころ)|小さい(?:頃|ころ)|幼い(?:頃|ころ)|[0-9０-９一二三四五六七八九十何]+十?年(?:も)?前"
    r"|\b(?:in the war|years ago|decades ago|long ago|before (?:i|we) (?:was|were) born|when (?:i|we) (?:was|were) (?:a |an )?(?:\w+ )?(?:young|little|small|child|children|kid|kids|boy|girl)|in (?:19[0-9]{2}|the (?:[0-9]{2}|\w+)ies))\b",
    re.IGNORECASE,
)
"""Old deaths are told of quietly enough, and leave the talk free."""
_STAYS = 8
"""For so many messages of the user the loss is near."""


def is_gone(person: str, scene: Scene) -> bool:
    """Tell whether somebody was said to have died, in this conversation or in what was recalled."""
    who = one_word_each(person)
    return bool(who) and any(who & one_word_each(sentence) for sentence in _deaths(_told(scene)))


def is_long_past(text: str) -> bool:
    """Tell what happened long ago (in the war, 昔) from what hurts today."""
    return bool(_LONG_AGO.search(text))


def speaks_of_death(scene: Scene) -> bool:
    """Tell whether a message tells of a death, be it long ago: no moment for a yawn."""
    return bool(list(_deaths([scene.message])))


def misses_the_dead(scene: Scene) -> bool:
    """Tell whether somebody wishes for once more of what a death that they told of has taken, however long ago."""
    if not _ONCE_MORE.search(scene.message):
        return False
    spoken_of = {word.surface for word in words(scene.message)} & kin_words(scene.lang)
    return bool(list(_deaths(scene.heard[-_STAYS:]))) or any(is_gone(one, scene) for one in spoken_of)


_ONCE_MORE = re.compile(
    r"もう(?:一度|いちど|一回|一目)|また(?:会|逢|食べ|飲み|聞き|話し|行き)\w*た[いか]|\b(?:once more|one more time|one last time)\b",
    re.IGNORECASE,
)


def is_near_loss(scene: Scene) -> bool:
    """Tell whether a death was told of a short while ago."""
    return any(not is_long_past(told) for told in _deaths([*scene.heard[-_STAYS:], scene.message]))


def _told(scene: Scene) -> list[str]:
    recalled = [hit.text for hit in scene.request.hits if hit.speaker != scene.request.sheet.persona]
    return [*scene.heard, scene.message, *recalled, scene.request.notes]


def _deaths(texts: Iterable[str]) -> Iterable[str]:
    return (s for text in texts if _DEATH.search(text) for s in sentences(text[:4000]) if _DEATH.search(s))
