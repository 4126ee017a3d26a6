"""Two domains with a few reports each, and what is asked of them: for tests, and for `make bench ARGS=domains`."""

from pathlib import Path

from agent.retrieval import retrieve_as_turn
from agent.services import Services
from managers.domains.domain_sources import add_source
from managers.domains.domain_store import DomainStore
from managers.domains.etl import bring_up_to_date
from managers.recall.hits import Hit
from managers.storage.clock import Clock
from managers.storage.paths import Home

DOMAINS: dict[str, dict[str, str]] = {
    "movie": {
        "dune": "The third Dune film opens on 18 December 2026. Hans Zimmer wrote the music in Budapest.",
        "rashomon": "黒澤明の「羅生門」が4K修復版で12月4日から再上映される。修復は京都の工房が行った。",
        "festival": "The Lisbon film festival gave its first prize to the Portuguese drama The Salt Road by Inês Duarte.",
        "studio": "アニメ会社のスタジオ青空が、2027年夏に新作長編「星の渡し守」を公開すると発表した。",
        "cinema": "The Electra cinema in Graz closes its doors in January after ninety years; the owner retires.",
        "camera": "Cinematographer Rosa Lind shot the desert scenes of The Salt Road on 65 mm film.",
    },
    "history": {
        "rome": "Archaeologists found a Roman bakery with eleven ovens under the market square of Trier.",
        "edo": "江戸時代の火消しの帳簿が、浅草の蔵から見つかった。1772年の大火のことが詳しく書かれている。",
        "ship": "The wreck of the merchant ship Anna Maria, lost in 1709, lies at a depth of sixty metres off Dalarö.",
        "letter": "A letter by the astronomer Maria Cunitz from 1651 was found in the library of Wrocław.",
        "silk": "正倉院の絹の染料は、茜と紫草だったことが分析で分かった。",
        "bridge": "The stone bridge of Mostar was rebuilt in 2004 with stone from the same quarry as in 1566.",
    },
}
QUESTIONS: tuple[tuple[str, str, str], ...] = (
    ("movie", "When does the third Dune film open?", "18 December"),
    ("movie", "羅生門の修復版はいつから再上映される?", "12月4日"),
    ("movie", "Which film won the first prize at the Lisbon film festival?", "Salt Road"),
    ("movie", "スタジオ青空の新作は何という題名?", "星の渡し守"),
    ("movie", "Why does the Electra cinema in Graz close?", "retires"),
    ("movie", "Who shot the desert scenes of The Salt Road?", "Rosa Lind"),
    ("history", "How many ovens did the Roman bakery in Trier have?", "eleven"),
    ("history", "江戸の火消しの帳簿はどこで見つかった?", "浅草"),
    ("history", "How deep does the wreck of the Anna Maria lie?", "sixty"),
    ("history", "Where was the letter of Maria Cunitz found?", "Wrocław"),
    ("history", "正倉院の絹の染料は何だった?", "茜"),
    ("history", "When was the bridge of Mostar rebuilt?", "2004"),
)
PERSONAS = {"movie": "Lumi", "history": "Clari"}


def fill(home: Home, clock: Clock, place: Path) -> None:
    """Make both domains from folders; whoever asks indexes them."""
    for domain, texts in DOMAINS.items():
        folder = place / domain
        folder.mkdir()
        for name, text in texts.items():
            (folder / f"{name}.txt").write_text(text, "utf-8")
        store = DomainStore(home, domain, clock)
        add_source(store, str(folder))
        bring_up_to_date(store, store.plan().sources)


def found(services: Services, name: str, question: str) -> list[Hit]:
    """Return what of its domain comes into the prompt when a persona is asked."""
    return [hit for hit in retrieve_as_turn(services.companion(name).memories, question) if hit.origin]


def measured(services: Services) -> tuple[float, int]:
    """Return which share of questions brings the answer to a persona of the domain, and how much comes to one of another."""
    others = {"movie": "Clari", "history": "Lumi"}
    within = sum(any(a in hit.text for hit in found(services, PERSONAS[domain], q)) for domain, q, a in QUESTIONS)
    across = sum(f"domains/{own}/" in hit.path for own, q, _ in QUESTIONS for hit in found(services, others[own], q))
    return within / len(QUESTIONS), across
