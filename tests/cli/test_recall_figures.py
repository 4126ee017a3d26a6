"""What the command line finds is what the benchmark counts."""

import json
from contextlib import closing
from pathlib import Path

import pytest

from benchmarks._recall_data import DATA, JAPANESE, fill, ids_of, is_there, open_persona
from tests.cli.test_commands import lines, run

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not is_there(), reason="the conversations in ../shared/data are not there"),
]


@pytest.mark.parametrize("name", ["locomo-2", JAPANESE])
def test_the_command_line_ranks_as_the_benchmark_does(name: str, tmp_path: Path) -> None:
    queries = DATA / f"{name}.queries.jsonl"
    run("import", "transcript", str(DATA / f"{name}.transcript.jsonl"), "--persona", "Someone")
    run("index", "Someone")
    found = lines(run("recall", "Someone", "--queries", str(queries), "-k", "20", "--json"))
    asked = [json.loads(line)["query"] for line in queries.read_text("utf-8").splitlines()]
    assert [one["query"] for one in found] == asked
    fill(tmp_path / "bench", name)
    with closing(open_persona(tmp_path / "bench")) as recall:
        recall.rebuild()
        for one in found:
            ranked = [tuple(result["message_ids"]) for result in one["results"]]
            assert ranked == [ids_of(hit) for hit in recall.search(one["query"], 20)], one["query"]
