"""What a message is besides news of the day: a joyful event, a thing achieved, thinking aloud, a wish put to the listener."""

from __future__ import annotations

import re

from agent.minds.builtin.talk.scene import Scene
from managers.language.emotion import NEGATIVE
from managers.language.reading.reading import Sentence

ACHIEVED = re.compile(
    r"合格|受かっ|昇進|優勝|内定|当選|入賞|卒業|完走|婚約|結婚(?:する|し|が決ま)|赤ちゃんが?(?:生|産)まれ|\b(?:passed|got the job|promoted|promotion|won|graduated|engaged|accepted|finished my|completed|is expecting|(?:had|have|having) (?:a|her|our|their|his) (?:baby|twins)|got into (?:the|a|my|her|his|their) (?:\w+ )?(?:choir|team|band|university|college|school|course|programme|program|final|orchestra|academy|squad))\b",
    re.IGNORECASE,
)
"""What somebody has brought off."""
NEWS = re.compile(
    r"結婚(?:する|し|が決ま)|婚約|(?:生|産)まれ|合格|受かっ|優勝|昇進|卒業|\b(?:(?:getting|got) (?:married|engaged)|having a baby|(?:is|are|'s|'re) (?:pregnant|expecting(?! (?:to|a (?:call|package|parcel|delivery|letter|visitor|guest)))\b)|(?:had|having) (?:a|her|our|their|his) (?:baby|twins)|became (?:a )?(?:grand)?(?:parent|father|mother)s?|got into (?:the|a|her|his|their) (?:\w+ )?(?:choir|team|band|university|college|school|course|programme|program|final|orchestra|academy|squad)|was born|graduat\w+|got (?:the|a) job|won)\b",
    re.IGNORECASE,
)
"""What is celebrated, whoever it happens to."""
RELUCTANT = re.compile(
    r"(?:^|[、。 ])(?:やだ|いやだ|嫌だ|だるい|めんどくさい|面倒)(?:なあ?|よ|わ|ー|〜)*(?:$|[。！!、…])|行きたくない",
    re.MULTILINE,
)
"""Who says やだ looks forward to nothing."""
_WISHED_OF_ME = re.compile(
    r"(?:日記|話し相手|相談相手|愚痴の相手)(?:の?(?:かわり|代わり|がわり)|として|に(?:なって|して))|"
    r"^(?:(?:so|and|well|also|from (?:today|now on))[, ]+)*(?:i|i'd|i'll|i'm|we) (?:want|would|like|love|hope|plan|will|going|just|really|to|be|thinking|of|need| )*"
    r"(?:use|using|tell|telling|talk|talking|speak|write|writing|chat|confide|vent|share)\b.{0,30}\b(?:you|with you)\b"
)
"""What somebody means to do with the listener: "I want to use you as a diary"."""
_MULLS = re.compile(
    r"^(?:(?:so|and|but|well|hm+)[, ]+)*(?:maybe|perhaps|i (?:suppose|guess|wonder if|wonder whether)) (?:that )?(?:i|we) (?:should|could|ought to|might|had better)\b"
    r"|[おこそとのほもよろごぞどぼ]う(?:か(?:な[あぁー]*|しら|迷っ?.*|悩んで.*)|かと(?:思|考え).*)$"
)
"""Thinking aloud about what to do."""

_MAY_FORGET = re.compile(
    r"忘れ(?:そう|っぽ|がち|ちゃいそう|てしまいそう|ちゃう(?:かも|から|ん|の|な|$)|てしまう|な(?:いよう|いうち)|る(?:かも|から|んだ|んよ|の|な|わ|よ|$))"
    r"|\b(?:i (?:might|may|will|always|keep|often|could) (?:probably |just )?forget|i'll (?:probably |only |just )?forget|keep forgetting|don't let me forget)\b"
)
"""What somebody is afraid to forget is a thing to keep for them, and no question."""


def thinks_aloud(scene: Scene, sentence: Sentence, feeling: str) -> str:
    """Answer what is neither news nor a question: what is meant to be done with the listener, what is being weighed."""
    if feeling not in NEGATIVE and _WISHED_OF_ME.search(sentence.plain):
        return scene.book.say("small", "wished_of_me")
    if _MAY_FORGET.search(sentence.plain):
        return scene.book.say("small", "keep_for_you")
    if feeling not in NEGATIVE and _MULLS.search(sentence.plain):
        return scene.book.say("small", "mull")
    return ""
