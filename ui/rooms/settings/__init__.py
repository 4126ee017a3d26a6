"""What the program and each persona may do, one shelf an address."""
