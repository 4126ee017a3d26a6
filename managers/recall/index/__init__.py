"""What is indexed: files cut into passages, their words and vectors, kept like the files."""
