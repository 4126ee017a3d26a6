"""What foreign documents hold, read in a process of its own that has limits.

`child.py` and the readers beside it run in that process and import nothing else of ours, so that it starts in a moment
and has nothing to give away; `process.py` is our side of it.
"""
