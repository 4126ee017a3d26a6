"""A causal language model in a folder, with or without an adapter: loaded by transformers, from the disk alone.

Weights in the safetensors format only, for the others may run code when they are opened; no code of the folder's own.
"""

import importlib.util
import os
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from managers.growth.adapters import card_of
from managers.growth.errors import AdapterUnfitError, BaseModelError, GrowthExtraMissingError
from managers.storage.errors import UtataneError
from managers.storage.files import read_bytes
from managers.storage.json_text import NotJsonError, load_json

Said = Sequence[tuple[str, str]]
"""Who (`system`, `user`, `assistant`) and what, oldest first."""
_LIBRARIES: Final = ("torch", "transformers", "peft", "safetensors")
_PICKLED: Final = ("*.bin", "*.pt", "*.pth", "*.pkl", "*.ckpt")


def is_installed() -> bool:
    """Tell whether the extra is there, without the seconds that importing it takes."""
    return all(importlib.util.find_spec(name) for name in _LIBRARIES)


def check_base(folder: Path) -> str:
    """Return what tells the model in a folder from another.

    Raises:
        BaseModelError: it is none that may be loaded.
    """
    try:
        config = load_json(read_bytes(folder / "config.json") or b"")
    except NotJsonError:
        config = None
    weights = sorted(folder.glob("*.safetensors")) if folder.is_dir() else []
    if not isinstance(config, dict):
        raise _unusable(folder, "config.json がないか、読めません。", "it has no readable config.json.")
    if not weights:
        pickled = any(next(folder.glob(form), None) for form in _PICKLED)
        why = ("重みが safetensors 形式ではありません(ほかの形式は開くだけで何でも実行できます)。", "its weights are not in the safetensors format; others may run anything when they are opened.")  # fmt: skip
        none = ("重みのファイルがありません。", "it holds no weights.")
        raise _unusable(folder, *(why if pickled else none))
    if "auto_map" in config:
        raise _unusable(folder, "フォルダの中のプログラムを実行しようとします。", "it wants code of its own to be run.")
    told = [sha256(read_bytes(folder / "config.json") or b"").hexdigest()]
    told += [f"{one.name}:{one.stat().st_size}:{_head_of(one)}" for one in weights]
    return sha256("\n".join(told).encode()).hexdigest()[:16]


def context_of(folder: Path) -> int:
    """Return how many tokens the model in a folder reads at once; 0 where it does not say."""
    try:
        found = load_json(read_bytes(folder / "config.json") or b"").get("max_position_embeddings", 0)
    except (NotJsonError, AttributeError, UtataneError):
        return 0
    return found if isinstance(found, int) and found > 0 else 0


def _head_of(weights: Path) -> str:
    with weights.open("rb") as file:
        return sha256(file.read(1 << 16)).hexdigest()


def _unusable(folder: Path, ja: str, en: str) -> BaseModelError:
    return BaseModelError(path=folder, cause_ja=ja, cause_en=en)


@dataclass
class LocalModel:
    """A model and its tokenizer, as transformers loaded them."""

    model: Any
    tokenizer: Any

    def prompt(self, said: Said) -> list[int]:
        """Return the tokens of a talk up to where the answer begins: by the model's own template, or a plain one."""
        if getattr(self.tokenizer, "chat_template", None):
            turns = [{"role": who, "content": text} for who, text in said]
            found = self.tokenizer.apply_chat_template(turns, add_generation_prompt=True, tokenize=True)
            return list(found["input_ids"] if hasattr(found, "keys") else found)
        lines = [f"{who}: {text}" for who, text in said]
        return list(self.tokenizer("\n".join([*lines, "assistant:"]))["input_ids"])

    def answer(self, text: str) -> list[int]:
        """Return the tokens of an answer, with the one that ends it."""
        ids = list(self.tokenizer(text, add_special_tokens=False)["input_ids"])
        end = self.tokenizer.eos_token_id
        return ids if end is None else [*ids, end]


def load_base(folder: Path) -> LocalModel:
    """Load a base model.

    Raises:
        GrowthExtraMissingError, BaseModelError
    """
    check_base(folder)
    if not is_installed():
        raise GrowthExtraMissingError
    os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1", HF_HUB_DISABLE_TELEMETRY="1")
    import torch  # noqa: PLC0415  # an extra that takes seconds to import
    from transformers import AutoModelForCausalLM, AutoTokenizer  # noqa: PLC0415  # the same

    own: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    on_card = torch.cuda.is_available()
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, **own)
        model = AutoModelForCausalLM.from_pretrained(
            folder, use_safetensors=True, dtype=torch.bfloat16 if on_card else torch.float32, **own
        )
    except (OSError, ValueError, RuntimeError, KeyError, MemoryError) as error:
        cause = (str(error).splitlines() or [type(error).__name__])[0][:200]
        raise _unusable(folder, f"読み込めませんでした({cause})。", f"it could not be loaded ({cause}).") from error
    return LocalModel(model.to("cuda") if on_card else model, tokenizer)


def with_adapter(base: LocalModel, rank: int, adapter: Path | None = None, name: str = "default") -> LocalModel:
    """Put an adapter of so many ranks on a base model: one that was trained, or one that changes nothing yet.

    A model that has adapters gets one more, under another name; which of them speaks is `set_adapter`'s.

    Raises:
        AdapterUnfitError: it does not fit the model.
    """
    from peft import LoraConfig, PeftModel, get_peft_model, set_peft_model_state_dict  # noqa: PLC0415  # an extra
    from safetensors.torch import load_file  # noqa: PLC0415  # the same

    card = card_of(adapter) if adapter else None
    config = LoraConfig(
        r=card.rank if card else rank,
        lora_alpha=2 * (card.rank if card else rank),
        target_modules="all-linear",
        task_type="CAUSAL_LM",
    )
    model = base.model
    if isinstance(model, PeftModel):
        model.add_adapter(name, config)
    else:
        model = get_peft_model(model, config, adapter_name=name)
    if adapter is not None:
        try:
            missing = set_peft_model_state_dict(model, load_file(adapter), adapter_name=name)
        except (OSError, RuntimeError, ValueError, KeyError) as error:
            raise AdapterUnfitError(path=adapter.name) from error
        if missing.unexpected_keys:
            raise AdapterUnfitError(path=adapter.name)
    return LocalModel(model, base.tokenizer)
