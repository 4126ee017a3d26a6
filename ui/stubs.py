"""Gradio's import without what nobody here needs of it: half of the time that it takes otherwise, and more with MCP installed.

- For every component it writes type stubs: it parses the source file twice, renders a template and compares the outcome
  with a `.pyi` file in its own folder, for editors of Gradio itself.
- Where the package `mcp` is installed, it loads all of it, be MCP switched on or not (`ui/server/engine.py` loads it then).
"""

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import ModuleType
from typing import Final

MODULE: Final = "gradio.component_meta"
WRITER: Final = "create_or_modify_pyi"
MCP_MODULE: Final = "gradio.mcp"
MCP_PACKAGE: Final = "mcp"


class _WithoutStubs(SourceFileLoader):
    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        if hasattr(module, WRITER):
            setattr(module, WRITER, _write_nothing)


class _WithoutMcp(SourceFileLoader):
    """Runs the module as if MCP were not installed, unless somebody has loaded MCP before."""

    def exec_module(self, module: ModuleType) -> None:
        if MCP_PACKAGE in sys.modules:
            super().exec_module(module)
            return
        sys.modules[MCP_PACKAGE] = None  # type: ignore[assignment]  # how Python is told that there is no such module
        try:
            super().exec_module(module)
        finally:
            del sys.modules[MCP_PACKAGE]


_LOADERS: Final = {MODULE: _WithoutStubs, MCP_MODULE: _WithoutMcp}


class _Finder(MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in _LOADERS:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and type(spec.loader) is SourceFileLoader:
            spec.loader = _LOADERS[fullname](spec.loader.name, spec.loader.path)
        return spec


def lighten_gradio() -> None:
    """Call before Gradio is imported; a Gradio that does these things in another way is left as it is."""
    if MODULE not in sys.modules:
        sys.meta_path.insert(0, _Finder())


def _write_nothing(*_: object) -> None:
    pass
