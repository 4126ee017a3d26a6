"""What waits for a yes."""
