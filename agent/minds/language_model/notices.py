"""The notices of a mind that takes a reduced way."""

from __future__ import annotations

from agent.minds.language_model.provider import Feature
from managers.storage.errors import Notice


def cannot_see(model: str) -> Notice:
    """Images were sent to a model that cannot see."""
    return Notice(
        code="mind-cannot-see",
        ja=f"モデル「{model}」は画像を見られないので、画像があることだけを伝えました。",
        en=f'The model "{model}" cannot see images; it was only told that there are some.',
        level="info",
    )


def fewer_tools(model: str, tokens: int) -> Notice:
    """The model reads too little for the descriptions of all tools."""
    return Notice(
        code="mind-fewer-tools",
        ja=f"モデル「{model}」は一度に{tokens:,}トークンしか読めないので、道具の一部だけを渡しています。会話と思い出を優先しました。",
        en=f'The model "{model}" reads only {tokens:,} tokens at once, so it gets only some of the tools: '
        "the conversation and the memories come first.",
        level="info",
    )


def cut_short(model: str) -> Notice:
    """The answer reached the limit of its length."""
    return Notice(
        code="mind-cut-short",
        ja=f"モデル「{model}」の答えは、長さの上限に達したので途中で終わっています。",
        en=f'The answer of "{model}" reached the limit of its length, so it ends early.',
        level="info",
    )


def does_without(model: str, feature: Feature) -> Notice | None:
    """The model or its server refused a feature; None where a person would not notice."""
    if feature == "images":
        return cannot_see(model)
    if feature == "tools":
        return Notice(
            code="mind-without-tools",
            ja=f"モデル「{model}」は道具を使えないので、道具なしで話しています。自分から思い出を探したりメモを書いたりはできません。",
            en=f'The model "{model}" cannot use tools, so it goes without: it cannot search memories or keep notes by itself.',
            level="info",
        )
    return None
