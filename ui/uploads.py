"""Files that the browser has sent, until they are where they belong."""

from __future__ import annotations

from pathlib import Path

import gradio as gr

from agent.errors import AttachmentUnreadableError


def uploaded(path: str) -> Path:
    """Return an uploaded file's path.

    Raises:
        AttachmentUnreadableError: the browser made the path up, or the file is gone.
    """
    folder = Path(gr.utils.get_upload_folder()).resolve()
    real = Path(path).resolve()
    if not real.is_relative_to(folder) or not real.is_file():
        raise AttachmentUnreadableError(name=Path(path).name)
    return real
