"""Reading a sentence: what it does, asks, wishes, and whom and when it speaks of."""
