"""What other programs on this computer may ask: an API (`endpoints`), the same as MCP tools (`tools`), and when (`ways`)."""
