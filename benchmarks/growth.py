"""Growth: tokens a second and memory of a training and of speaking, with a model of a realistic size and random weights.

On a graphics card the model has 1.2 billion weights; without one it is small and the measurement short.
"""

import resource
import time
from collections.abc import Iterator
from importlib import import_module
from typing import Any, Final

from managers.growth.adapters import Card
from managers.growth.base_model import LocalModel, is_installed, with_adapter
from managers.growth.corpus import Example
from managers.growth.training import BATCH, Job, learn

_RANK: Final = 8
_SHAPES: Final = {
    "cuda": {"hidden_size": 2048, "intermediate_size": 8192, "num_hidden_layers": 16, "num_attention_heads": 32},
    "cpu": {"hidden_size": 256, "intermediate_size": 1024, "num_hidden_layers": 4, "num_attention_heads": 8},
}
_STEPS: Final = {"cuda": 20, "cpu": 2}
_SPOKEN: Final = {"cuda": 256, "cpu": 32}
_SAID, _REPLY = "What shall we do on a day by the sea? " * 8, "Let us nap until the tide comes in. " * 6


class Letters:
    """A tokenizer of bytes: what words there are makes no difference to how long a token takes."""

    eos_token_id = 0

    def __call__(self, text: str, **_: object) -> dict[str, list[int]]:
        return {"input_ids": list(text.encode())}


def measure() -> Iterator[tuple[str, str, str]]:
    """Yield the figures, or one sentence where the extra is not installed."""
    if not is_installed():
        yield "skipped: the extra `growth` (torch, transformers, peft) is not installed", "", ""
        return
    torch = _library("torch")

    device = "cuda" if torch.cuda.is_available() else "cpu"
    base = _base(device)
    where = torch.cuda.get_device_name() if device == "cuda" else f"{torch.get_num_threads()} threads"
    yield f"the model, on {where}", f"{sum(one.numel() for one in base.model.parameters()) / 1e6:,.0f} M weights", ""
    held = with_adapter(base, _RANK)
    tokens, seconds = _learned(held, device)
    yield f"training, {BATCH} examples a step, rank {_RANK}", f"{tokens / seconds:,.0f} tokens/s", ""
    yield "speaking with the adapter", f"{_SPOKEN[device] / _spoken(held, device):,.0f} tokens/s", ""
    yield "memory at the most", f"{_memory(device) / 1e9:.1f} GB", ""


def _library(name: str) -> Any:  # noqa: ANN401  # untyped here
    """Return a library of the extra, which takes seconds to import: whoever measures something else does not wait."""
    return import_module(name)


def _base(device: str) -> LocalModel:
    torch, transformers = _library("torch"), _library("transformers")

    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=32_000, num_key_value_heads=8, max_position_embeddings=4096, **_SHAPES[device]
    )
    model = transformers.LlamaForCausalLM(config).to(torch.bfloat16 if device == "cuda" else torch.float32)
    return LocalModel(model.to(device), Letters())


def _learned(held: LocalModel, device: str) -> tuple[int, float]:
    """Learn for some steps, the first of which does not count; return tokens and seconds."""
    torch = _library("torch")

    examples = [Example(id=f"e{one}", evidence=[], said=[("user", _SAID)], reply=_REPLY) for one in range(BATCH)]
    job = Job(base="", card=Card(version=1), learned=examples, held_out=[])
    optimiser = torch.optim.AdamW([one for one in held.model.parameters() if one.requires_grad], lr=job.rate)
    held.model.train()
    learn(held, optimiser, examples, job)
    begun = _now(device)
    for _ in range(_STEPS[device]):
        learn(held, optimiser, examples, job)
    each = sum(len(held.prompt(one.said)) + len(held.answer(one.reply)) for one in examples)
    return each * _STEPS[device], _now(device) - begun


def _spoken(held: LocalModel, device: str) -> float:
    """Return the seconds that an answer takes."""
    torch = _library("torch")

    held.model.eval()
    ids = torch.tensor([held.prompt([("user", _SAID)])], device=device)
    asked: dict[str, Any] = {"input_ids": ids, "attention_mask": torch.ones_like(ids), "do_sample": False}
    count = _SPOKEN[device]
    with torch.no_grad():
        held.model.generate(**asked, max_new_tokens=2, min_new_tokens=2, pad_token_id=0)
        begun = _now(device)
        held.model.generate(**asked, max_new_tokens=count, min_new_tokens=count, pad_token_id=0)
    return _now(device) - begun


def _now(device: str) -> float:
    torch = _library("torch")

    if device == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter()


def _memory(device: str) -> float:
    """Return the bytes that it took at the most: of the card, or of the process."""
    torch = _library("torch")

    if device == "cuda":
        return float(torch.cuda.max_memory_allocated())
    return 1024.0 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
