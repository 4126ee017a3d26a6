"""The notices of a mind that takes a reduced way."""

from __future__ import annotations

from collections.abc import Sequence

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


_DEEDS = {
    "recall_memories": ("思い出を探す", "search memories"),
    "search_past_conversations": ("言葉で会話を探す", "search conversations by their words"),
    "search_knowledge_base": ("資料を調べる", "look into documents"),
    "search_entity_memory": ("人や物事を探す", "search people and things"),
    "read_entity_memory": ("人や物事の記憶を読む", "read about people and things"),
    "write_entity_memory": ("人や物事の記憶を書く", "write about people and things"),
    "list_entity_memories": ("人や物事の一覧を見る", "list people and things"),
    "edit_core_memory": ("コアメモリを書く", "write in the core memory"),
    "edit_notepad": ("メモ帳に書く", "write in the notepad"),
    "read_main_memory": ("日記を読む", "read the diary"),
    "plan_main_memory_edit": ("日記を書く", "write in the diary"),
    "read_secret_diary": ("秘密の日記を読む", "read the secret diary"),
    "plan_secret_diary_edit": ("秘密の日記を書く", "write in the secret diary"),
    "forget_messages": ("頼まれた話を忘れる", "forget what you ask it to"),
}


def fewer_tools(model: str, tokens: int, missing: Sequence[str]) -> Notice:
    """The model reads too little for the descriptions of all tools."""
    deeds = [_DEEDS.get(name, (name, name)) for name in missing]
    ja, en = "、".join(ja for ja, _ in deeds), ", ".join(en for _, en in deeds)
    return Notice(
        code="mind-fewer-tools",
        ja=f"モデル「{model}」は一度に{tokens:,}トークンしか読めないので、会話と思い出を優先し、道具は一部だけを渡しています。"
        f"話の中で自分からはできないこと: {ja}。",
        en=f'The model "{model}" reads only {tokens:,} tokens at once: the conversation and the memories come first, '
        f"and it gets only some of the tools. What it cannot do by itself in a talk: {en}.",
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
