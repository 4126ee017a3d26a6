"""Who sits in a conversation of several: known by their marks, whatever they are called by now."""

from collections.abc import Mapping, Sequence

from managers.groups import Standing
from managers.personas import PersonaStore


def called_now(standing: Standing, personas: PersonaStore) -> dict[str, str]:
    """Return what each who is there is called now; empty for who is gone while somebody else has the name."""
    here = personas.door.marks()
    return {name: _called(name, standing.marks.get(name, ""), here, personas) for name in standing.present}


def marks_of(names: Sequence[str], personas: PersonaStore) -> dict[str, str]:
    """Return what some personas are known by, as far as they are here."""
    here = personas.door.marks()
    return {name: here[name][0] for name in names if name in here}


def _called(name: str, mark: str, here: Mapping[str, Sequence[str]], personas: PersonaStore) -> str:
    if name in here and (not mark or mark in here[name]):
        return name
    of_mark = next((other for other, (own, *_) in here.items() if own == mark), "")
    return of_mark or ("" if name in here else personas.renamed_to(name) or name)
