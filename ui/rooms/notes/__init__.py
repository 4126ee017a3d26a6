"""Core memory and notepad, to read and to edit."""
