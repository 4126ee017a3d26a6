"""How much memory a process has used at most."""

import sys


def peak_megabytes() -> float:
    """Return the most memory that this process has held so far."""
    if sys.platform == "win32":
        import psutil  # noqa: PLC0415  # only needed there

        return float(psutil.Process().memory_info().peak_wset) / 1e6
    import resource  # noqa: PLC0415  # not there on Windows

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / 1e6 if sys.platform == "darwin" else most / 1e3
