"""Stream from a LangChain model, and keep nothing."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessageChunk, BaseMessage


async def stream(
    model: BaseChatModel, messages: list[BaseMessage], arguments: dict[str, Any]
) -> AsyncGenerator[AIMessageChunk, None]:
    """Yield what the model sends.

    LangChain's `astream` does the same, and besides keeps every piece (some 2.5 KB each) to join them at the end for
    listeners; here are none, and an answer may have no end. So this calls what each provider implements.
    """
    async for generated in model._astream(messages, **arguments):  # noqa: SLF001  # see above
        message = generated.message
        message.response_metadata = (generated.generation_info or {}) | message.response_metadata
        yield message  # type: ignore[misc]  # chunks, as streams have


def report_to_nobody() -> None:
    """Switch LangChain's tracing off, whatever the environment says: nothing leaves but the call itself."""
    import langsmith  # noqa: PLC0415  # comes with langchain_core, which is imported late

    langsmith.configure(enabled=False)
