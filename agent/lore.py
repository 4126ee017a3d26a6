"""What of its lorebook a persona's mind is told: what always stands, and what the conversation calls up."""

from collections.abc import Callable, Sequence

from agent.persona_words import filled
from agent.prompts.quoting import plain
from agent.provenance import ForeignWords
from managers.memory.lore_scanning import LoreScanner, Said, within_budget
from managers.memory.lorebook import Lorebook, LorebookStore, LoreEntry
from managers.memory.messages import Message
from managers.mind import Sheet


class LoreTeller:
    """Knows one persona's lorebook, made ready once for each version of its file."""

    def __init__(self, store: LorebookStore) -> None:
        self.store = store
        self._book = Lorebook({})
        self._scanner = LoreScanner(self._book)

    @property
    def scanner(self) -> LoreScanner:
        """The book as it is now; costs one look at the disk where nothing has changed."""
        book = self.store.current()
        if book is not self._book:
            if book.value != self._book.value:  # else what was found out about its keys still holds
                self._scanner = LoreScanner(book)
            self._book = book
        return self._scanner

    def standing(self, sheet: Sheet, count: Callable[[str], int], foreign: ForeignWords) -> tuple[list[str], list[str]]:
        """Return what stands in every prompt, the entries that are told always: before who the persona is, and after."""
        scanner = self.scanner
        told = _fitting(scanner.standing(), scanner.book.settings.token_budget, count)
        before = [one for one in told if one.position == "before_char"]
        after = [one for one in told if one.position != "before_char"]
        return _items(before, sheet, foreign), _items(after, sheet, foreign)

    def called_up(
        self, talk: Sequence[Message], sheet: Sheet, count: Callable[[str], int], foreign: ForeignWords
    ) -> list[str]:
        """Return what the conversation calls up.

        Args:
            talk: the messages, oldest first, the one to be answered last.
            sheet: who the persona is, and whom it talks to.
            count: the mind's estimate of tokens, of which the book may allow so many to all that is told of it.
            foreign: sets apart what came from elsewhere and was not let in whole.
        """
        scanner = self.scanner
        found = scanner.called_up([Said(one.text, is_users=one.role == "user") for one in talk])
        if not found:
            return []
        budget = scanner.book.settings.token_budget
        if budget is not None:
            budget -= sum(count(one.content) + 1 for one in _fitting(scanner.standing(), budget, count))
        return _items(_fitting(found, budget, count), sheet, foreign)


def _fitting(entries: list[LoreEntry], budget: int | None, count: Callable[[str], int]) -> list[LoreEntry]:
    return entries if budget is None else within_budget(entries, budget, count)


def _items(entries: Sequence[LoreEntry], sheet: Sheet, foreign: ForeignWords) -> list[str]:
    """Return entries as a list has them: no line of theirs can pass for a line of ours, or for a quotation."""
    told = ((plain(filled(one.content, sheet)).strip(), one.origins) for one in entries)
    return [foreign.item("- " + text.replace("\n", "\n  "), text, (), origins) for text, origins in told if text]
