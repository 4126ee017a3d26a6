from managers.recall.engine import Recall
from managers.storage.paths import PersonaPaths
from managers.storage.settings import RecallSettings
from tests.recall.conftest import Open
from tests.recall.looking import Talk


def test_two_newest_and_two_oldest_newest_first(open_recall: Open, talk: Talk) -> None:
    for days in (400, 300, 200, 100, 50, 20):
        talk.past(f"The comet, {days} days ago.", days)
    recall = open_recall(RecallSettings(last_api_history_limit_option=0))
    found = [hit.text for hit in recall.search_past_conversations("comet")]
    assert found == [f"The comet, {days} days ago." for days in (20, 50, 300, 400)]


def test_what_is_being_talked_about_is_left_out(open_recall: Open, talk: Talk) -> None:
    talk.past("The comet was bright.", 50)
    for number in range(5):
        talk.user(f"Is the comet visible? {number}")
    recall = open_recall(RecallSettings(last_api_history_limit_option=5))
    assert [hit.text for hit in recall.search_past_conversations("comet")] == ["The comet was bright."]
    everything = open_recall(RecallSettings(last_api_history_limit_option=0))
    assert len(everything.search_past_conversations("comet")) == 4


def test_fewer_than_four_are_given_once(open_recall: Open, talk: Talk) -> None:
    for days in (30, 20, 10):
        talk.past(f"Comet {days}.", days)
    recall = open_recall(RecallSettings(last_api_history_limit_option=0))
    assert [hit.text for hit in recall.search_past_conversations("comet")] == ["Comet 10.", "Comet 20.", "Comet 30."]


def test_width_and_case_do_not_matter_but_words_do(open_recall: Open, talk: Talk) -> None:
    talk.past("ＰＣでゲームをした。", 20)
    talk.past("A party of computers.", 10)
    recall = open_recall(RecallSettings(last_api_history_limit_option=0))
    assert [hit.text for hit in recall.search_past_conversations("pc")] == ["ＰＣでゲームをした。"]
    assert recall.search_past_conversations("") == []
    assert recall.search_past_conversations("tuba") == []


def test_superseded_words_are_not_found(open_recall: Open, talk: Talk) -> None:
    said = talk.past("The comet is green.", 30)
    talk.log.supersede(said.id, "The comet is blue.")
    recall = open_recall(RecallSettings(last_api_history_limit_option=0))
    assert [hit.text for hit in recall.search_past_conversations("comet")] == ["The comet is blue."]


def test_imported_sources_are_searched_too(recall: Recall, paths: PersonaPaths) -> None:
    paths.log_import_source.mkdir()
    (paths.log_import_source / "old.txt").write_text(
        "## USER:Emma\nThe comet of my childhood.\n\n1997-04-01 (Tue) 21:00:00 | x\n\n## AGENT:Sora\nTell me.\n",
        "utf-8",
    )
    hits = recall.search_past_conversations("comet")
    assert [(hit.speaker, hit.time.year if hit.time else 0, hit.path) for hit in hits] == [
        ("Emma", 1997, "log_import_source/old.txt")
    ]
