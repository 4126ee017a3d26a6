"""A language model on this computer, in a process of its own: llama.cpp's server, from the package `xllamacpp`."""
