"""Where a persona goes out into a file, and comes home from one."""
