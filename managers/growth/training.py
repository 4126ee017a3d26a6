"""Training an adapter, in a process of its own: `python -m managers.growth.training FOLDER`.

The folder holds `job.json` and gets `state.safetensors` after every few steps, so that a killed training goes on from
there, and in the end `adapter.safetensors`. What was done is told on standard output, a JSON object a line. All is
settled by the seed and the number of the step, so a training that was interrupted comes to what it would have been.
"""

from __future__ import annotations

import json
import math
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any, Final

from pydantic import BaseModel, ValidationError

from managers.growth.adapters import Card, metadata_of
from managers.growth.base_model import LocalModel, load_base, with_adapter
from managers.growth.corpus import Example
from managers.storage.errors import UtataneError
from managers.storage.files import dump_json, read_bytes, write_atomic

BATCH: Final = 4
"""Examples between two steps of the optimiser."""
STEPS_KEPT: Final = 5
"""The state is kept after so many steps."""
_SAMPLES, _SAMPLE_TOKENS = 6, 48
ADAPTER: Final = "adapter.safetensors"
JOB: Final = "job.json"
_STATE: Final = "state.safetensors"
_IGNORED: Final = -100
"""A label that torch leaves out of the loss."""


class Job(BaseModel):
    """What is to be trained.

    Attributes:
        base: the base model's folder.
        parent: the file of the version that it goes on from; empty: the base model alone.
        card: what is known of the new version before it is trained.
        held_out: what it is measured on.
        epochs: how often all of them are gone through.
        most_tokens: of an example.
        seed: settles the order.
    """

    base: str
    parent: str = ""
    card: Card
    learned: list[Example]
    held_out: list[Example]
    epochs: int = 3
    rate: float = 2e-4
    most_tokens: int = 1024
    seed: int = 1

    @property
    def steps(self) -> int:
        return self.epochs * math.ceil(len(self.learned) / BATCH)

    def is_same_work(self, other: Job) -> bool:
        """Tell whether another job would come to the same adapter, whenever it was written down."""
        passing = {"card": {"made", "kpi"}}
        return self.model_dump(exclude=passing) == other.model_dump(exclude=passing)

    def batches(self) -> Iterator[list[Example]]:
        """Yield what each step learns from, in order."""
        for epoch in range(self.epochs):
            mixed = sorted(self.learned, key=lambda one: one.id)
            Random(f"{self.seed}/{epoch}").shuffle(mixed)  # noqa: S311  # an order, no secret
            yield from (mixed[at : at + BATCH] for at in range(0, len(mixed), BATCH))


def train(folder: Path) -> Card:
    """Train what a folder's job says, from where it stands; return the card of the adapter that lies there then."""
    job = Job.model_validate_json(read_bytes(folder / JOB) or b"")
    base = load_base(Path(job.base))
    import torch  # noqa: PLC0415  # an extra that takes seconds to import; whether it is there was just asked

    torch.manual_seed(job.seed)
    held = with_adapter(base, job.card.rank, Path(job.parent) if job.parent else None)
    with held.model.disable_adapter():
        before = _loss_of_all(held, job.held_out, job.most_tokens)
    optimiser = torch.optim.AdamW(
        [one for one in held.model.parameters() if one.requires_grad], lr=job.rate, weight_decay=0.0
    )
    done = _take_up(folder / _STATE, held, optimiser)
    held.model.train()
    for number, batch in enumerate(job.batches(), 1):
        if number <= done:
            continue
        loss = learn(held, optimiser, batch, job)
        if number % STEPS_KEPT == 0:
            _keep(folder / _STATE, held, optimiser, number)
        _tell(step=number, of=job.steps, loss=round(loss, 4))
    held.model.eval()
    after = _loss_of_all(held, job.held_out, job.most_tokens)
    card = job.card.model_copy(
        update={"loss_before": round(before, 4), "loss": round(after, 4), "style": _styles(held, job)}
    )
    _write(folder / ADAPTER, _weights(held), metadata_of(card))
    return card


def learn(held: LocalModel, optimiser: Any, batch: Sequence[Example], job: Job) -> float:  # noqa: ANN401  # torch's
    """Make one step of the optimiser from some examples; return their mean loss before it."""
    import torch  # noqa: PLC0415  # see above

    total = 0.0
    optimiser.zero_grad()
    for example in batch:
        loss = _loss(held, example, job.most_tokens) / len(batch)
        loss.backward()
        total += float(loss.detach())
    torch.nn.utils.clip_grad_norm_([one for one in held.model.parameters() if one.requires_grad], 1.0)
    optimiser.step()
    return total


def _loss(held: LocalModel, example: Example, most: int) -> Any:  # noqa: ANN401  # torch's
    """Return the mean negative log-likelihood of a token of the answer, in nats."""
    import torch  # noqa: PLC0415  # see above

    answer = held.answer(example.reply)[:most]
    prompt = held.prompt(example.said)
    prompt = prompt[max(0, len(prompt) - max(most - len(answer), 1)) :]
    ids = torch.tensor([[*prompt, *answer]], device=held.model.device)
    labels = torch.tensor([[*([_IGNORED] * len(prompt)), *answer]], device=held.model.device)
    return held.model(input_ids=ids, labels=labels).loss


def _loss_of_all(held: LocalModel, examples: Sequence[Example], most: int) -> float:
    import torch  # noqa: PLC0415  # see above

    held.model.eval()
    with torch.no_grad():
        found = [float(_loss(held, one, most)) for one in examples]
    return sum(found) / len(found) if found else 0.0


# Style


def _styles(held: LocalModel, job: Job) -> dict[str, dict[str, float]]:
    """Return what answers look like: the persona's own, the adapter's and the base model's."""
    asked = job.held_out[:_SAMPLES]
    own = [one.reply for one in (job.held_out or job.learned)]
    with held.model.disable_adapter():
        plain = [_sampled(held, one) for one in asked]
    grown = [_sampled(held, one) for one in asked]
    return {"own": style_of(own, own), "base": style_of(plain, own), "adapter": style_of(grown, own)}


def _sampled(held: LocalModel, example: Example) -> str:
    import torch  # noqa: PLC0415  # see above

    ids = torch.tensor([held.prompt(example.said)], device=held.model.device)
    with torch.no_grad():
        found = held.model.generate(
            input_ids=ids,
            attention_mask=torch.ones_like(ids),
            do_sample=False,
            max_new_tokens=_SAMPLE_TOKENS,
            pad_token_id=held.tokenizer.eos_token_id,
        )
    return str(held.tokenizer.decode(found[0][ids.shape[1] :], skip_special_tokens=True))


def style_of(answers: Sequence[str], own: Sequence[str]) -> dict[str, float]:
    """Return marks of style: characters a sentence, the share of questions, and how alike they end as the persona's own.

    The last is the share of answers that end in two characters that are among the ten commonest ends of its own.
    """
    sentences = [part for one in answers for part in _sentences(one)]
    ends = {end for end, _ in Counter(one.strip()[-2:] for one in own).most_common(10)}
    count = max(len(answers), 1)
    return {
        "sentence_length": round(sum(map(len, sentences)) / max(len(sentences), 1), 2),
        "questions": round(sum(one.strip().endswith(("?", "？")) for one in answers) / count, 2),
        "ends_alike": round(sum(one.strip()[-2:] in ends for one in answers) / count, 2),
    }


def _sentences(text: str) -> list[str]:
    for end in "。！？!?":
        text = text.replace(end, f"{end}\n")
    return [part for line in text.splitlines() if (part := line.strip())]


# What is kept


def _weights(held: LocalModel) -> dict[str, Any]:
    from peft import get_peft_model_state_dict  # noqa: PLC0415  # see above

    return {
        name: one.detach().cpu().contiguous().clone() for name, one in get_peft_model_state_dict(held.model).items()
    }


def _keep(path: Path, held: LocalModel, optimiser: Any, step: int) -> None:  # noqa: ANN401  # torch's
    tensors = {f"w.{name}": one for name, one in _weights(held).items()}
    for number, state in optimiser.state_dict()["state"].items():
        tensors |= {f"o.{number}.{key}": value.detach().cpu().contiguous().clone() for key, value in state.items()}
    _write(path, tensors, {"step": str(step)})


def _take_up(path: Path, held: LocalModel, optimiser: Any) -> int:  # noqa: ANN401  # torch's
    """Put weights and optimiser where a killed training had them; return how many steps were done."""
    if not path.is_file():
        return 0
    from peft import set_peft_model_state_dict  # noqa: PLC0415  # see above
    from safetensors import SafetensorError, safe_open  # noqa: PLC0415  # see above

    with suppress(SafetensorError, OSError), safe_open(path, "pt") as file:
        step = int(file.metadata()["step"])
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  # no dictionary
        set_peft_model_state_dict(held.model, {name[2:]: one for name, one in tensors.items() if name[0] == "w"})
        state: dict[int, dict[str, Any]] = {}
        for name, one in tensors.items():
            if name[0] == "o":
                _, number, key = name.split(".", 2)
                state.setdefault(int(number), {})[key] = one
        optimiser.load_state_dict({**optimiser.state_dict(), "state": state})
        return step
    return 0


def _write(path: Path, tensors: dict[str, Any], metadata: dict[str, str]) -> None:
    from safetensors.torch import save  # noqa: PLC0415  # see above

    write_atomic(path, save(tensors, metadata=metadata))


def _tell(**facts: object) -> None:
    sys.stdout.write(json.dumps(facts, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def main(folder: Path) -> int:
    """Train in a folder; tell what went wrong in one line."""
    with suppress(OSError, AttributeError):  # Windows has no such call
        os.nice(10)
    try:
        _tell(done=train(folder).model_dump(mode="json"))
    except UtataneError as error:
        _tell(error={"ja": error.sentence("ja"), "en": error.sentence("en")})
        return 1
    except MemoryError:
        _tell(error={"ja": "メモリが足りません", "en": "there is not enough memory"})
        return 1
    except RuntimeError as error:  # torch's own word for a full graphics card, among others
        told = (str(error).splitlines() or [""])[0][:200]
        _tell(error={"ja": told, "en": told})
        return 1
    return 0


def job_file(folder: Path, job: Job) -> None:
    """Write down what is to be trained."""
    write_atomic(folder / JOB, dump_json(job.model_dump(mode="json")))


def job_in(folder: Path) -> Job | None:
    """Return what a folder's training is to do; None where none was begun that can be read."""
    with suppress(ValidationError):
        return Job.model_validate_json(read_bytes(folder / JOB) or b"")
    return None


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
