"""Which minds are shown placeholders in place of addresses, numbers, keys and names."""

from dataclasses import dataclass

from agent.minds.endpoint import Endpoint
from managers.language.masking.placeholders import Mask
from managers.storage.settings import MaskModels


@dataclass(frozen=True, slots=True)
class Masking:
    """What a person wishes about it; unsaid, what leaves this computer is masked.

    Attributes:
        models: which models' prompts are masked.
        names: people's names too.
        known: whose names are hidden in any language.
        spared: whose are not: the persona's own.
    """

    models: MaskModels = "elsewhere"
    names: bool = False
    known: frozenset[str] = frozenset()
    spared: frozenset[str] = frozenset()

    def covers(self, endpoint: Endpoint) -> bool:
        """Tell whether a model there gets placeholders."""
        return self.models == "always" or (self.models == "elsewhere" and endpoint.leaves_machine)

    def begin(self) -> Mask:
        """Return what hides things in one prompt."""
        return Mask(names=self.names, known=self.known, spared=self.spared)
