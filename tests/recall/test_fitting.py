"""A search that ends where nothing fits: for somebody who looks for words, not for what ranks highest of all there is."""

from datetime import timedelta

from managers.recall.engine import Recall
from tests.recall.conftest import Episode
from tests.recall.looking import Talk, found, texts

TOPICS = """今日は鴨川を散歩して、カワセミを見たよ。
新しい自転車で海まで走った。
職場の会議が長くて疲れた。
夕飯は肉じゃがにした。
図書館で古い地図を借りてきた。
姉が来週、京都に引っ越すらしい。
庭のトマトが赤くなってきた。
電車が遅れて会議に遅刻した。""".splitlines()


def test_of_very_much_only_what_fits_is_found_in_the_order_of_the_plain_ranking(recall: Recall, talk: Talk) -> None:
    """More than two hundred messages about other things, and two of a cat, each with an answer that does not name it."""
    for number in range(120):
        talk.user(f"{TOPICS[number % len(TOPICS)]}これで{number}回目。")
        talk.persona(f"そうだったんだね。{number}回も、おつかれさま。")
    talk.user("猫のモモが入院した。")
    talk.persona("それは心配だね。付き添ってあげたの？")
    talk.user("具合はだいぶよくなって、先生も安心していた。")
    recall.catch_up()
    for query in ("犬の散歩紐", "飛行機の模型", "鯨の骨", "whale bones"):
        assert len(found(recall, query, 200)) > 20
        fitting = texts(recall.search(query, 200, fitting=True))
        assert all("散歩" in text or "猫" in text for text in fitting), query  # by meaning a dog is much like a cat
        assert len(fitting) <= 15
    both = {"猫のモモが入院した。", "具合はだいぶよくなって、先生も安心していた。"}
    assert set(texts(recall.search("猫の具合", 200, fitting=True))) == both, "not what stands beside"
    assert texts(recall.search("モモ", 200, fitting=True)) == ["猫のモモが入院した。"]
    assert len(found(recall, "猫の具合", 200)) > 100  # the plain ranking has no end
    plain, some = recall.search("京都の鴨川", 200), recall.search("京都の鴨川", 200, fitting=True)
    assert 0 < len(some) < len(plain)
    assert [hit for hit in plain if hit in some] == some


def test_a_time_alone_finds_what_was_said_then(recall: Recall, talk: Talk, episode: Episode) -> None:
    talk.past("猫のモモが入院した。", 1)
    talk.past("庭のトマトが赤くなった。", 9)
    episode(f"{(talk.clock.now() - timedelta(days=1)).date()}", "モモの入院の日。")
    recall.catch_up()
    assert set(texts(recall.search("昨日", 200, fitting=True))) == {"猫のモモが入院した。", "モモの入院の日。"}
    assert texts(recall.search("昨日", 9, types=["episodic_memory"], fitting=True)) == ["モモの入院の日。"]
