"""What the arguments of tools are, in Japanese; in English their models say it."""

from __future__ import annotations

ARGUMENTS: dict[str, str] = {
    "query": "探すこと(短い言葉で)",
    "operation": "append: 終わりに text を足す。replace: old_text を text に替える。delete: old_text を消す",
    "text": "足す、または替える文",
    "old_text": "いま書いてあるとおりの文",
    "instruction": "何をどう書くか、ふつうの言葉で",
    "name": "人や物事の名前",
    "content": "言われた事実をひとつ。old_fact を終わらせるだけなら空",
    "old_fact": "もう成り立たない事実。いま覚えているとおりの文で。なければ空",
    "about": "忘れる話にある言葉。空なら、頼む直前の発言",
}
"""By the argument's name."""
