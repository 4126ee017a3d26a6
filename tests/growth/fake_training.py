"""Stands for `managers.growth.training` where torch is not: takes its time, and makes an adapter that knows nothing."""

import json
import sys
import time
from pathlib import Path

from managers.growth.training import ADAPTER, job_in
from tests.growth.grown import write_adapter

STEPS = 3
WAITING = "waits"
"""A file of this name in the base model's folder: no word is told, as while a large model is being loaded."""


def main(folder: Path) -> None:
    """Do what is to be done in a folder."""
    job = job_in(folder)
    assert job is not None
    print("Loading checkpoint shards: 100%", flush=True)  # noqa: T201  # what libraries print
    print(json.dumps({"warning": "deprecated"}), flush=True)  # noqa: T201  # the same
    while (Path(job.base) / WAITING).exists():
        time.sleep(0.01)
    for step in range(1, STEPS + 1):
        print(json.dumps({"step": step, "of": STEPS, "loss": 2.0 / step}), flush=True)  # noqa: T201  # as it is told
    style = {"sentence_length": 12.0, "questions": 0.5, "ends_alike": 0.25}
    measured = {"loss_before": 2.0, "loss": 1.5, "style": {"own": style, "base": style, "adapter": style}}
    card = job.card.model_copy(update=measured)
    write_adapter(folder / ADAPTER, card)
    print(json.dumps({"done": card.model_dump(mode="json")}), flush=True)  # noqa: T201  # the same


if __name__ == "__main__":
    main(Path(sys.argv[1]))
