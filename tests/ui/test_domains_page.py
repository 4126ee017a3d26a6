"""The page of domains: a source is named, agreed to by fetching, seen to fail and to go well, and removed."""

from starlette.testclient import TestClient

from agent.services import Services
from managers.domains.domain_store import DomainStore
from tests.domains.feed_server import FeedServer, Shown, rss
from tests.ui.rooms import NAME

HERE = "/settings/domains"


def test_a_source_on_the_page(services: Services, visitor: TestClient) -> None:
    jobs, store = services.domain_jobs, DomainStore(services.home, "movie", services.clock)

    def page(lang: str = "en") -> str:
        return visitor.get(HERE, params={"persona": NAME}, headers={"accept-language": lang}).text

    def sent(deed: str, **data: str) -> None:
        visitor.post(f"{HERE}/{deed}", data={"domain": "movie", **data})
        if deed == "fetch":
            jobs._thread.join()  # type: ignore[union-attr]

    assert "No shared knowledge yet" in page()
    assert "分野の知識はまだありません" in page("ja")
    with FeedServer() as server:
        feed = f"{server.base}/rss"
        server.pages["/rss"] = Shown(rss(("&lt;b&gt;Dune&lt;/b&gt;", "The third Dune film opens in December.")))
        assert visitor.post(f"{HERE}/add", data={"domain": "Movie", "address": feed}).status_code == 303
        assert "data-ask" in page().split("domains/fetch", 1)[1].split("</form>")[0]
        assert server.asked == []
        sent("fetch")
        assert "was not asked" in page()
        sent("allow", host="127.0.0.1")
        sent("schedule", every="daily")
        sent("schedule", days="9")
        sent("fetch")
    assert "1 new" in page()
    assert (store.plan().every, store.plan().keep_days, store.plan().allowed) == ("daily", 9, ["127.0.0.1"])
    folded = visitor.get(f"{HERE}/movie/documents", params={"persona": NAME}).text
    assert "https://news.example/0" in folded
    assert "<b>Dune" not in folded
    sent("stop")
    sent("remove", source=store.plan().sources[0].id)
    assert store.documents() == []
    sent("remove")
    assert not store.exists
    wrong = {"domain": "movie", "address": "ftp://x.example/"}
    assert "http://" in visitor.post(f"{HERE}/add", data=wrong, follow_redirects=True).text
