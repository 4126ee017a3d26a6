"""The search for a phrase: the two newest and the two oldest messages that hold it, of what is not before the eyes."""

from managers.recall.engine import Recall
from managers.storage.paths import PersonaPaths
from managers.storage.settings import RecallSettings
from tests.recall.conftest import Open
from tests.recall.looking import Talk, texts


def phrase(recall: Recall, words: str = "comet") -> list[str]:
    return texts(recall.search_past_conversations(words))


def test_two_newest_and_two_oldest_newest_first_without_what_is_being_talked_about(
    open_recall: Open, talk: Talk
) -> None:
    whole = open_recall(RecallSettings(last_api_history_limit_option=0))
    for days in (400, 300, 200):
        talk.past(f"The comet, {days} days ago.", days)
    assert phrase(whole) == [f"The comet, {days} days ago." for days in (200, 300, 400)]
    for days in (100, 50, 20):
        talk.past(f"The comet, {days} days ago.", days)
    expected = [f"The comet, {days} days ago." for days in (20, 50, 300, 400)]
    assert phrase(whole) == expected
    talk.user(*(f"Is the comet visible? {number}" for number in range(5)))
    assert phrase(open_recall(RecallSettings(last_api_history_limit_option=5))) == expected
    assert phrase(whole)[:2] == ["Is the comet visible? 4", "Is the comet visible? 3"]


def test_width_and_case_do_not_matter_but_words_do_as_they_read_now(open_recall: Open, talk: Talk) -> None:
    talk.past("ＰＣでゲームをした。", 20)
    talk.past("A party of computers.", 10)
    said = talk.past("The comet is green.", 30)
    talk.log.supersede(said.id, "The comet is blue.")
    recall = open_recall(RecallSettings(last_api_history_limit_option=0))
    assert phrase(recall, "pc") == ["ＰＣでゲームをした。"]
    assert phrase(recall, "comet") == ["The comet is blue."]
    assert phrase(recall, "green") == phrase(recall, "") == phrase(recall, "tuba") == []


def test_imported_sources_are_searched_too(recall: Recall, paths: PersonaPaths) -> None:
    paths.log_import_source.mkdir()
    source = "## USER:Emma\nThe comet of my childhood.\n\n1997-04-01 (Tue) 21:00:00 | x\n\n## AGENT:Sora\nTell me.\n"
    (paths.log_import_source / "old.txt").write_text(source, "utf-8")
    (hit,) = recall.search_past_conversations("comet")
    assert hit.time is not None
    assert (hit.speaker, hit.time.year, hit.path) == ("Emma", 1997, "log_import_source/old.txt")
