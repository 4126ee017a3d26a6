"""What keeps memory small and trustworthy: what is active, what fades, what is put away, and what comes back."""
