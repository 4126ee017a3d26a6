"""Gradio is loaded whole, but for the writer of stubs."""

from importlib.util import module_from_spec

import gradio
import gradio.component_meta as real

from ui.stubs import MODULE, _Finder


def test_only_the_writer_of_stubs_is_put_to_sleep() -> None:
    spec = _Finder().find_spec(MODULE, gradio.__path__)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    assert set(vars(module)) >= set(vars(real)) - {"_write_nothing"}
    assert module.create_or_modify_pyi.__module__ == "ui.stubs"
    made = module.ComponentMeta("Mine", (), {"EVENTS": ["change"]})
    assert callable(made.change)


def test_other_modules_are_found_as_ever() -> None:
    assert _Finder().find_spec("gradio.events", gradio.__path__) is None
    assert _Finder().find_spec("json", None) is None
