"""The server: who may come in, what stands at which address, and what is sent as it happens."""
