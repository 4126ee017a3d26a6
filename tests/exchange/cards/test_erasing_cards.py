"""What is erased is erased in a card and a lorebook too, and the rest of them stands."""

from managers.hygiene.scrubbing import Scrubber
from managers.hygiene.traces import Traces
from managers.memory.json_documents import encode
from managers.storage.json_text import load_json
from tests.exchange.cards.made import v3


def test_a_name_goes_from_the_card_and_its_entries_go_from_the_lorebook() -> None:
    scrubber = Scrubber(Traces(names=("Tanaka",), messages=frozenset({"m1"})))
    card = {
        "taken_as": "Aria",
        "card": v3(description="She is calm. She knows Tanaka. She sings.", tags=["Tanaka", "sea"]),
    }
    left = load_json(scrubber.scrub("card.json", encode(card)) or b"")
    assert left["card"]["data"]["description"].split() == ["She", "is", "calm.", "She", "sings."]
    assert left["card"]["data"]["tags"] == ["sea"]
    assert left["card"]["spec"] == "chara_card_v3"
    odd_ids = [{"id": one, "keys": ["a"], "content": "kept", "kind": [1]} for one in (7, None, ["m2"], {"a": 1})]
    book = {"entries": [*odd_ids, {"keys": ["Tanaka"], "content": "x"}, {"keys": ["b"], "content": "Tanaka's house"}]}
    assert load_json(scrubber.scrub("lorebook.json", encode(book)) or b"") == {
        "entries": [*odd_ids, {"keys": [], "content": "x"}]
    }
