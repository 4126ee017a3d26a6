"""Everything that lasts: files, memories, recall, sleep. Knows neither gradio nor langgraph."""
