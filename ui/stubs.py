"""Gradio without the type stubs that it writes beside its own components each time it is imported.

For every component it parses the source file twice, renders a template and compares the outcome with
a `.pyi` file in its own folder: half of all the time that its import takes, for editors of Gradio itself.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import ModuleType
from typing import Final

MODULE: Final = "gradio.component_meta"
WRITER: Final = "create_or_modify_pyi"


class _Loader(SourceFileLoader):
    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        if hasattr(module, WRITER):
            setattr(module, WRITER, _write_nothing)


class _Finder(MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != MODULE:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and type(spec.loader) is SourceFileLoader:
            spec.loader = _Loader(spec.loader.name, spec.loader.path)
        return spec


def write_no_stubs() -> None:
    """Call before Gradio is imported; a Gradio that writes its stubs in another way is left as it is."""
    if MODULE not in sys.modules:
        sys.meta_path.insert(0, _Finder())


def _write_nothing(*_: object) -> None:
    pass
