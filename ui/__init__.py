"""The pages in the browser: a server, a folder for each room, what rooms share, locales, scripts and styles."""

import os

from ui.stubs import lighten_gradio

# Before gradio is imported anywhere: no report goes to anybody, and no run is kept by the browser.
os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
os.environ["GRADIO_RUN_HISTORY"] = "False"
os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
lighten_gradio()
