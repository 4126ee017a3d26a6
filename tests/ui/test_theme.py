"""Every text can be read: contrast at WCAG 2.2 AA, light and dark."""

from ui.components.palette import PALETTE, palette_css

AA_TEXT, AA_SIGNS = 4.5, 3.0
TEXT_ON = {
    "ink": ("paper", "surface", "raised", "peach", "added", "removed"),
    "quiet": ("paper", "surface", "raised", "peach"),
    "hint": ("paper", "surface", "raised"),
    "accent": ("paper", "surface", "raised"),
    "danger": ("surface", "raised"),
    "on-accent": ("accent", "accent-strong"),
}


def luminance(colour: str) -> float:
    """Relative luminance, WCAG 2.2."""
    channels = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_text_can_be_read_light_and_dark() -> None:
    for look in (0, 1):
        for text, grounds in TEXT_ON.items():
            for ground in grounds:
                ratio = contrast(PALETTE[text][look], PALETTE[ground][look])
                assert ratio >= AA_TEXT, f"{text} on {ground}: {ratio:.2f}"
    css = palette_css()
    for name, (light, dark) in PALETTE.items():
        assert css.count(f"--{name}:light-dark({light},{dark});") == 1
