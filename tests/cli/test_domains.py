"""`domains` as people type it: a folder and a server, agreed to, refused, allowed, fetched, found, removed."""

from pathlib import Path

from tests.cli.test_commands import lines, run
from tests.domains.feed_server import FeedServer, Shown, rss


def test_a_domain_from_the_first_source_to_the_last(home: Path, tmp_path: Path) -> None:
    papers = tmp_path / "papers"
    papers.mkdir()
    (papers / "rome.md").write_text("# Rome\nThe bakery of Trier had eleven ovens.", "utf-8")
    with FeedServer() as server:
        server.pages["/rss"] = Shown(rss(("Mostar", "The bridge of Mostar was rebuilt in 2004.")))
        feed = f"{server.base}/rss"
        added = lines(run("domains", "add", "history", str(papers), feed, "--every", "daily", "--json"))
        assert [(one["kind"], one["agreed"]) for one in added] == [("folder", True), ("web", False)]
        (first,) = lines(run("domains", "fetch", "History", "--json", expect=1))
        assert (first["new"], list(first["failed"])) == (1, [feed])
        refused = run("domains", "fetch", "history", feed, "--yes", expect=1)
        assert "domains allow history 127.0.0.1" in refused.stderr
        assert server.asked == []
        run("domains", "allow", "history", "127.0.0.1")
        (second,) = lines(run("domains", "fetch", "history", "--json"))
        assert (second["new"], second["same"], second["failed"]) == (1, 1, {})
    (listed,) = lines(run("domains", "list", "--json"))
    assert (listed["domain"], listed["every"], listed["documents"]) == ("history", "daily", 2)
    assert "127.0.0.1" in run("audit", "kb:history").stdout
    assert "kb:history" in run("doctor").stdout
    (gone,) = lines(run("domains", "remove", "history", feed, "--json"))
    assert gone == {"removed": {"domain": "history", "documents": 1}}
    run("domains", "remove", "history", expect=1)  # nobody is there to say yes
    run("domains", "remove", "history", "--yes")
    assert not (home / "domains" / "history").exists()
    assert (papers / "rome.md").exists()
    assert "no shared knowledge" in run("domains", "fetch", "history", expect=1).stderr
