"""What an English sentence is about by its verb: going, eating, a mishap; and what only looks like it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agent.minds.builtin.talk.told import acts
from managers.language.english import verb_base
from managers.language.reading.reading import Sentence
from managers.language.words import Word


def act_of(sentence: Sentence, found: Sequence[Word], verb: int) -> str:
    """Return what the verb at a place is about (`follow.toml`), or empty."""
    act = acts("en").get(verb_base(found[verb].surface), "") if verb >= 0 else ""
    act = "job" if act == "work" and _JOB.search(sentence.text) else act
    act = "" if act == "start" and _HOURS.search(sentence.text) else act
    act = "" if verb >= 0 and _is_denied(found, verb) else act
    act = "" if act == "go" and (_GOES_NOWHERE.search(sentence.plain) or ADVISED.search(sentence.text)) else act
    act = "illness" if _AILS.search(sentence.plain) else act
    act = "injury" if _INJURY.search(sentence.plain) else act
    act = "" if act == "mishap" and _LOSES_ONESELF.search(sentence.plain) else act
    return "eat" if not act and _MEAL.search(sentence.text) else act


_GOES_NOWHERE = re.compile(
    r"\b(?:go|goes|going|went|gone) (?:part[- ]time|full[- ]time|vegan|vegetarian|freelance|solo|grey|gray|bald|blind|deaf|mad"
    r"|crazy|wrong|missing|quiet|silent|viral|bankrupt|well|badly|bad|off|sour|cold|smoothly|fine|okay|ok|great|wild|digital)\b"
)
"""What becomes so, or turns out so: nobody is on the way."""
_INJURY = re.compile(
    r"\b(?:cut|burn(?:t|ed)?|hurt|sprained|twisted|banged|bruised|broke|broken|jammed|scraped|scalded|stubbed|bumped)"
    r" (?:my|his|her|our|their) (?:\w+ )?(?:thumb|finger|hand|arm|wrist|elbow|shoulder|head|knee|leg|ankle|foot|toe|back|tongue|lip|nose|hip|rib|neck|jaw|collarbone|thigh|eye|ear|chin|heel|calf|shin|toenail|fingernail)s?\b"
)
_LOSES_ONESELF = re.compile(
    r"\b(?:los(?:e|es|ing|t)|fail(?:s|ing|ed)?|slip(?:s|ping)?) (?:my|his|her|our|their) (?:memory|mind|sight|eyesight|hearing|strength|words|speech|faith|job|home|friend|wife|husband|baby)\b"
)
"""What no bad luck of a day takes."""
_JOB = re.compile(r"\bwork(?:s|ing|ed)? (?:at|as|for|in)\b", re.IGNORECASE)
_HOURS = re.compile(r"\b(?:starts?|started|begins?|began) (?:at|work|on)\b", re.IGNORECASE)
_AILS = re.compile(
    r"\b(?:knees?|back|hips?|shoulders?|neck|head|tooth|teeth|stomach|tummy|throat|feet|foot|legs?|ankles?|joints|ears?|eyes?)(?:'s| is| are|'re| has been) "
    r"(?:giving (?:me|him|her) (?:gyp|grief|trouble|hell|bother)|playing up|killing me|acting up|aching|hurting|throbbing|sore|bad again)\b"
)
"""What hurts without an accident."""
_MEAL = re.compile(r"\b(?:ha[dv]e?|having)\b.{1,40}\bfor (?:breakfast|lunch|dinner|supper)\b", re.IGNORECASE)
ADVISED = re.compile(
    r"\b(?:says?|said|thinks?|thought|told me|tells me|wants|reckons?|believes?|insists?)\b.{0,16}\b(?:i|we) ",
    re.IGNORECASE,
)
"""What somebody else would have one do is no duty yet."""


def _is_denied(found: Sequence[Word], verb: int) -> bool:
    """Tell "I haven't eaten" from what was done."""
    return any(word.surface.lower() in ("not", "n't", "n’t", "never") for word in found[max(0, verb - 3) : verb])
