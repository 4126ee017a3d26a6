"""Gradio is loaded whole, but for the writer of stubs."""

from importlib.util import module_from_spec

from ui.stubs import MODULE, _Finder


def test_only_the_writer_of_stubs_is_put_to_sleep() -> None:
    import gradio  # noqa: PLC0415  # heavy: loaded where it is needed
    import gradio.component_meta as real  # noqa: PLC0415

    spec = _Finder().find_spec(MODULE, gradio.__path__)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    assert set(vars(module)) >= set(vars(real)) - {"_write_nothing"}
    assert module.create_or_modify_pyi.__module__ == "ui.stubs"
    assert callable(module.ComponentMeta("Mine", (), {"EVENTS": ["change"]}).change)
    assert _Finder().find_spec("gradio.events", gradio.__path__) is None  # other modules are found as ever
    assert _Finder().find_spec("json", None) is None
