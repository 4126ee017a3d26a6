"""A persona in one file that people can keep anywhere, and the way back."""
