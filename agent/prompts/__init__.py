"""One file a prompt: its builder and the model of its answer side by side, in both languages."""
