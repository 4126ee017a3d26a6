"""A tiny model learns from a persona's talks: the real libraries, in the process of their own."""

import os
import signal
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from agent.growing import Growth
from agent.memories import Memories
from agent.minds.makers import local_mind
from managers.growth.adapters import Card, metadata_of
from managers.growth.base_model import check_base, is_installed, load_base, with_adapter
from managers.growth.errors import BaseModelError, TrainingFailedError
from managers.memory.messages import Message
from managers.mind import Cancel, ChatTurn, ReplyRequest, Sheet, TextPiece
from managers.storage.settings import MindSettings, Settings
from tests.crash import needs_signals
from tests.growth.grown import talk_of

pytestmark = [
    pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning"),  # the libraries' own
    pytest.mark.timeout(1200),  # each process imports torch: a minute on a machine that is busy
]
needs_torch = pytest.mark.skipif(not is_installed(), reason="the extra `growth` is not installed")


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a model with two small layers, and a tokenizer of bytes and pairs."""
    import torch  # noqa: PLC0415  # an extra
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers  # noqa: PLC0415  # an extra
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast  # noqa: PLC0415  # an extra

    folder = tmp_path_factory.mktemp("base")
    letters = Tokenizer(models.BPE())
    letters.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    letters.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    words = ["Let us nap by the sea.", "What of day?"] * 20
    letters.train_from_iterator(
        words, trainers.BpeTrainer(vocab_size=400, special_tokens=["<s>", "</s>"], initial_alphabet=alphabet)
    )
    PreTrainedTokenizerFast(tokenizer_object=letters, bos_token="<s>", eos_token="</s>").save_pretrained(folder)
    torch.set_num_threads(1)
    torch.manual_seed(0)
    sizes = {"vocab_size": 400, "hidden_size": 32, "intermediate_size": 64, "max_position_embeddings": 512}
    layers = {"num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2}
    LlamaForCausalLM(LlamaConfig(**sizes, **layers, bos_token_id=0, eos_token_id=1)).save_pretrained(folder)
    return folder


@pytest.fixture
def growth(memories: Memories, settings: Settings, base: Path, monkeypatch: pytest.MonkeyPatch) -> Growth:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")  # threads of so small a model would only wait for each other
    talk_of(memories)
    settings.growth.base = str(base)
    settings.growth.rate, settings.growth.epochs = 0.01, 1
    return Growth(memories)


def _spoken(settings: Settings, adapters: object) -> str:
    mind = local_mind(MindSettings(provider="local", model=settings.growth.base, temperature=0), adapters)
    request = ReplyRequest(
        Sheet("Nemu", "en", "You are Nemu."), system="You are Nemu.", turns=(ChatTurn("user", "What of day 7?"),),
        message=Message("u", datetime(2026, 11, 24, 12), "user", "Aoi", "What of day 7?"),
        now=datetime(2026, 11, 24, 12)
    )  # fmt: skip
    return "".join(one.text for one in mind.reply(request, Cancel()) if isinstance(one, TextPiece))


@needs_torch
@pytest.mark.slow
def test_the_loss_falls_the_adapter_speaks_and_a_way_back_is_the_base_model(growth: Growth, settings: Settings) -> None:
    card = growth.train(lambda _: None, Cancel())
    assert card is not None
    assert card.loss < card.loss_before - 0.2
    assert "p3" in card.messages
    plain = _spoken(settings, growth.adapters)
    growth.adapters.use(card.version)
    assert _spoken(settings, growth.adapters) != plain
    growth.adapters.roll_back()
    assert _spoken(settings, growth.adapters) == plain


def _tensors(path: Path) -> dict[str, list[float]]:
    from safetensors.torch import load_file  # noqa: PLC0415  # an extra

    return {name: one.flatten().tolist() for name, one in load_file(path).items()}


def _random_adapter(base: Path, path: Path, seed: int) -> SimpleNamespace:
    """Write an adapter that makes the model say something else; return what says that it is in use."""
    import torch  # noqa: PLC0415  # an extra
    from peft import get_peft_model_state_dict  # noqa: PLC0415  # an extra
    from safetensors.torch import save_file  # noqa: PLC0415  # an extra

    torch.manual_seed(seed)
    held = with_adapter(load_base(base), 4)
    tensors = {name: torch.randn_like(one) for name, one in get_peft_model_state_dict(held.model).items()}
    save_file(tensors, path, metadata=metadata_of(Card(version=1, rank=4)))
    return SimpleNamespace(file_in_use=lambda _: path)


@needs_torch
@pytest.mark.slow
def test_many_share_one_model(settings: Settings, base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from agent.minds.language_model import transformers_protocol  # noqa: PLC0415  # an extra

    monkeypatch.setattr(transformers_protocol, "_loaded", [])
    monkeypatch.setattr(transformers_protocol, "_MOST_ADAPTERS", 2)
    settings.growth.base = str(base)
    all_of_them = [None, *(_random_adapter(base, tmp_path / f"{one}.safetensors", one) for one in range(3))]
    first = [_spoken(settings, one) for one in all_of_them]
    assert len(set(first)) == 4
    assert [_spoken(settings, one) for one in all_of_them] == first  # the oldest had to go, and came back


@needs_torch
@pytest.mark.slow
@needs_signals
def test_a_killed_training_goes_on_to_the_same_adapter(growth: Growth) -> None:
    assert (whole := growth.train(lambda _: None, Cancel())) is not None
    first = _tensors(growth.adapters.path(1))
    growth.adapters.path(1).unlink()

    def kill(facts: Mapping[str, Any]) -> None:
        if facts.get("step") == 7:
            children = Path(f"/proc/{os.getpid()}/task").glob("*/children")
            for child in {int(one) for file in children for one in file.read_text().split()}:
                if b"managers.growth.training" in Path(f"/proc/{child}/cmdline").read_bytes():
                    os.kill(child, signal.SIGKILL)

    with pytest.raises(TrainingFailedError):
        growth.train(kill, Cancel())
    steps: list[int] = []
    again = growth.train(lambda facts: steps.append(facts.get("step", 0)), Cancel())
    assert steps[0] == 6  # the state is kept every five steps
    assert again is not None
    assert again.loss == whole.loss
    assert _tensors(growth.adapters.path(1)) == first


def test_a_folder_that_might_run_something_is_no_base_model(tmp_path: Path) -> None:
    code = '{"auto_map": {"AutoModelForCausalLM": "evil.Evil"}}'
    for name, config in (
        ("pytorch_model.bin", "{}"), ("model.safetensors", code), ("notes.txt", "{}"), ("model.safetensors", "")
    ):  # fmt: skip
        folder = tmp_path / f"{name} {len(config)}"
        folder.mkdir()
        (folder / name).touch()
        if config:
            (folder / "config.json").write_text(config, "utf-8")
        with pytest.raises(BaseModelError):
            check_base(folder)
