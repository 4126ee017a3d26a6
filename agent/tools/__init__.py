"""The tools that a mind may call during a turn, one module per group."""
