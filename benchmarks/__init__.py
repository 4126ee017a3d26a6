"""What the program costs and reaches, measured."""

import managers  # noqa: F401  # before numpy, to which it says how many threads to use
