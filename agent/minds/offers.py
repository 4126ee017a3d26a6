"""What the person is offered about minds, and may say yes to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from managers.storage.errors import Lang


@dataclass(frozen=True, slots=True)
class Offer:
    """Something that the person may say yes to.

    Attributes:
        code: `use-gemini`, `use-builtin` or `use-auto`.
        ja, en: the question.
        changes: what a yes changes in the section `mind` of the settings.
    """

    code: str
    ja: str
    en: str
    changes: Mapping[str, str]

    def sentence(self, lang: Lang) -> str:
        """Return the question for a reader of `lang`."""
        return self.ja if lang == "ja" else self.en


OFFER_BUILT_IN = Offer(
    code="use-builtin",
    ja="いまのモデルが答えられないようです。しばらく内蔵のこころに切りかえますか?",
    en="This model cannot answer just now. Switch to the built-in mind for the time being?",
    changes={"provider": "builtin"},
)


def offer_gemini(variable: str) -> Offer:
    """Return the offer to use a key that was found in an environment variable."""
    return Offer(
        code="use-gemini",
        ja=f"環境変数 {variable} にGeminiのキーが見つかりました。Geminiで話しますか? 話した内容はGoogleに送られます。",
        en=f"A Gemini key was found in the environment ({variable}). Talk through Gemini? What you say will be sent to Google.",
        changes={"provider": "gemini"},
    )
