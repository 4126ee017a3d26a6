"""What a person told, as far as one can take it up: what it is about, and what to ask after."""

from dataclasses import dataclass

from managers.language.reading.reading import Sentence
from managers.language.reading.rules import fits
from managers.language.reading.times import tells_when


@dataclass(frozen=True, slots=True)
class Told:
    """One sentence that was told.

    Attributes:
        echo: it, given back by whoever takes it up ("so you went to Kyoto"); empty where that would be clumsy.
        act: what its verb is about (`words.toml`), or empty.
        is_future: it is planned or wished for.
        is_past: it has happened.
        is_wish: it is wished for (したい, want to).
        is_blocked: it is wished for, and something stands in the way.
        is_own: the teller is the one who acts.
        is_dated: it says when.
        names_day: it says on which day, so that "that day" means something.
        topic, person, place: phrases of it, from the listener's side ("your sister", お母さん); empty if none.
        is_pet: the topic is an animal.
        is_relative: the person is of the family.
        is_duty: it has to be done.
        is_hearsay: it is told of somebody else, by the sentence's own sign (…だって).
        names_somebody: a person or an animal is spoken of at all.
        points_back: its subject is something told before (she, it).
    """

    echo: str = ""
    act: str = ""
    is_future: bool = False
    is_past: bool = False
    is_wish: bool = False
    is_blocked: bool = False
    is_own: bool = True
    is_dated: bool = False
    names_day: bool = False
    topic: str = ""
    person: str = ""
    place: str = ""
    is_pet: bool = False
    is_relative: bool = False
    names_somebody: bool = False
    points_back: bool = False
    is_duty: bool = False
    is_hearsay: bool = False


def signs_of(sentence: Sentence) -> Told:
    """Return what a sentence tells by its form alone, whatever its words are about."""

    def told(name: str) -> bool:
        return fits(sentence.lang, "told", name, sentence.plain)

    return Told(
        is_blocked=told("blocked"),
        is_duty=told("duty"),
        is_hearsay=told("hearsay"),
        is_dated=tells_when(sentence.text),
        names_day=told("names_day"),
    )
