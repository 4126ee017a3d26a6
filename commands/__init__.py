"""The command line's commands, one module per group. They present; what they do is done elsewhere.

Each imports what it needs when it is run, so that no command waits for another one's libraries.
"""
