"""Everything that lasts: files, memories, recall, sleep. Knows neither gradio nor langgraph."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy: threads for so small products wait for each other
