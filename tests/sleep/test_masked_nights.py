"""What a night writes down where the person wishes placeholders: the log alone knows the values."""

import pytest

from managers.storage.settings import PrivacySettings
from tests.sleep.dreamers import Life

TELEPHONE, MAIL = "0797-22-3456", "momo@example.jp"
SAID = (
    f"昨日、有馬温泉に行きました。宿の電話番号は{TELEPHONE}です。",
    f"姉のメールアドレスは{MAIL}です。姉は神戸に住んでいます。",
)


@pytest.mark.parametrize("wish", ["", "mask_summaries", "mask_memories"])
def test_what_is_to_be_masked_stands_in_no_memory_of_that_kind(bare: Life, wish: str) -> None:
    privacy = PrivacySettings.model_validate({wish: True} if wish else {})
    bare.tell(*SAID)
    bare.dreamer(privacy=privacy).dream()
    assert not bare.dreamer(privacy=privacy).pending_days()
    assert TELEPHONE in bare.paths.log.read_text("utf-8")
    written = "".join(data.decode() for data in bare.files().values())
    (day,) = bare.episodes.days()
    episode = bare.episode(day)
    story = episode.summary + "".join(episode.key_events)
    assert "有馬温泉" in written
    assert ("[REDACTED_PHONE]" in story) is (TELEPHONE not in story) is bool(wish)
    if wish != "mask_summaries":
        assert {value in written for value in (TELEPHONE, MAIL)} == {not wish}
