"""The browser interface: one module per room, presenters, locales, theme."""

import os

from ui.stubs import write_no_stubs

# Before gradio is imported anywhere: no report goes to anybody, and no run is kept by the browser.
os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
os.environ["GRADIO_RUN_HISTORY"] = "False"
os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
write_no_stubs()
