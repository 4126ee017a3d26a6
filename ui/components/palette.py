"""The colours of the page, written once: dusk indigo, moonlit cream, soft peach."""

from typing import Final

PALETTE: Final = {
    "paper": ("#faf6ee", "#1a1931"),
    "surface": ("#fffdf9", "#24223f"),
    "raised": ("#ffffff", "#2d2a4c"),
    "line": ("#e7dfd1", "#3b3860"),
    "ink": ("#2c2a44", "#efe9dc"),
    "quiet": ("#625d7c", "#b4afcf"),
    "hint": ("#6e698a", "#9d98bd"),
    "accent": ("#514a92", "#b9b0ec"),
    "accent-strong": ("#474085", "#cdc6f5"),
    "on-accent": ("#fffdf9", "#211f3d"),
    "hover": ("#efeaf7", "#332f58"),
    "peach": ("#fbe3d4", "#4a3850"),
    "peach-line": ("#f2c9b1", "#6d4f62"),
    "danger": ("#a8343f", "#f4a3a3"),
    "added": ("#dff0e2", "#20402f"),
    "removed": ("#fbe0dd", "#4d2733"),
    "age-0": ("#7672a4", "#8f8bbb"),
    "age-1": ("#765a98", "#a994d2"),
    "age-2": ("#8a477f", "#d2a1d0"),
    "age-3": ("#a03c57", "#f2acb4"),
    "age-4": ("#a9410f", "#fdc797"),
    "land-0": ("#efeaf7", "#322e57"),
    "land-1": ("#fcebdf", "#41324a"),
    "land-2": ("#e8f0ec", "#2a3950"),
    "land-3": ("#f6efd9", "#3c3743"),
    "land-4": ("#fae6ea", "#45304f"),
    "land-5": ("#e4eef6", "#283457"),
}
"""Every colour of the page, for the light and the dark look; each text colour reaches WCAG AA on paper, surface, raised and peach.

`age` goes from the oldest to the newest on the map of memory, `land` is what its regions lie on.
"""


def palette_css() -> str:
    """Return the palette as CSS variables; the browser takes the light or the dark of each by its `color-scheme`."""
    colours = "".join(f"--{name}:light-dark({light},{dark});" for name, (light, dark) in PALETTE.items())
    looks = "".join(f':root[data-look="{look}"]{{color-scheme:{look}}}' for look in ("light", "dark"))
    return f":root{{color-scheme:light dark;{colours}}}{looks}"
