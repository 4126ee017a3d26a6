"""The page of domains: a source is named, agreed to by fetching, seen to fail and to go well, and removed."""

from starlette.testclient import TestClient

from agent.services import Services
from managers.domains.domain_store import DomainStore
from tests.domains.feed_server import FeedServer, Shown, rss
from tests.ui.rooms import NAME
from tests.ui.visitors import visitor_of

HERE = "/settings/domains"


def page(visitor: TestClient, lang: str = "en") -> str:
    return visitor.get(HERE, params={"persona": NAME}, headers={"accept-language": lang}).text


def test_a_source_on_the_page(services: Services) -> None:
    visitor = visitor_of(services)
    jobs, store = services.domain_jobs, DomainStore(services.home, "movie", services.clock)
    assert "No shared knowledge yet" in page(visitor)
    assert "分野の知識はまだありません" in page(visitor, "ja")
    with FeedServer() as server:
        feed = f"{server.base}/rss"
        server.pages["/rss"] = Shown(rss(("&lt;b&gt;Dune&lt;/b&gt;", "The third Dune film opens in December.")))
        assert visitor.post(f"{HERE}/add", data={"domain": "Movie", "address": feed}).status_code == 303
        assert "data-ask" in page(visitor).split("domains/fetch", 1)[1].split("</form>")[0]
        assert server.asked == []
        visitor.post(f"{HERE}/fetch", data={"domain": "movie"})
        jobs._thread.join()  # type: ignore[union-attr]
        assert "was not asked" in page(visitor)
        assert "つなぎませんでした" in page(visitor, "ja")
        visitor.post(f"{HERE}/allow", data={"domain": "movie", "host": "127.0.0.1"})
        visitor.post(f"{HERE}/schedule", data={"domain": "movie", "every": "daily"})
        visitor.post(f"{HERE}/schedule", data={"domain": "movie", "days": "9"})
        visitor.post(f"{HERE}/fetch", data={"domain": "movie"})
        jobs._thread.join()  # type: ignore[union-attr]
    assert "1 new" in page(visitor)
    assert (store.plan().every, store.plan().keep_days, store.plan().allowed) == ("daily", 9, ["127.0.0.1"])
    folded = visitor.get(f"{HERE}/movie/documents", params={"persona": NAME}).text
    assert "https://news.example/0" in folded
    assert "<b>Dune" not in folded
    visitor.post(f"{HERE}/stop")
    visitor.post(f"{HERE}/remove", data={"domain": "movie", "source": store.plan().sources[0].id})
    assert store.documents() == []
    visitor.post(f"{HERE}/remove", data={"domain": "movie"})
    assert not store.exists
    refused = visitor.post(
        f"{HERE}/add", data={"domain": "movie", "address": "ftp://x.example/"}, follow_redirects=True
    )
    assert "http://" in refused.text
