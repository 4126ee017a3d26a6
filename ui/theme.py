"""The theme: dusk indigo, moonlit cream, soft peach; local fonts only.

The palette is written here once; `assets/page/style.css` reads it through CSS variables.
"""

from __future__ import annotations

import gradio as gr

SANS = (
    "Hiragino Sans",
    "Hiragino Kaku Gothic ProN",
    "Yu Gothic UI",
    "Yu Gothic",
    "Meiryo",
    "Noto Sans CJK JP",
    "Noto Sans JP",
    "Segoe UI",
    "system-ui",
    "sans-serif",
)
MONO = ("ui-monospace", "SF Mono", "Cascadia Mono", "Noto Sans Mono CJK JP", "monospace")

INDIGO = gr.themes.Color(
    name="dusk",
    c50="#f3f1fb",
    c100="#e6e2f6",
    c200="#cfc9ec",
    c300="#b0a8dd",
    c400="#8d84c8",
    c500="#6d64b0",
    c600="#575096",
    c700="#47427c",
    c800="#343160",
    c900="#252447",
    c950="#191831",
)
CREAM = gr.themes.Color(
    name="moonlight",
    c50="#fdfaf3",
    c100="#f7f2e7",
    c200="#ebe4d6",
    c300="#d8d0c2",
    c400="#b0a9ad",
    c500="#827c91",
    c600="#645f7b",
    c700="#4b4766",
    c800="#322f4e",
    c900="#252340",
    c950="#1a1930",
)

PALETTE = {
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
    "peach": ("#fbe3d4", "#4a3850"),
    "peach-line": ("#f2c9b1", "#6d4f62"),
    "peach-strong": ("#a04522", "#f5bd9f"),
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


def create_theme() -> gr.themes.Base:
    """Return the one theme of the page."""
    theme = gr.themes.Base(
        primary_hue=INDIGO,
        secondary_hue=INDIGO,
        neutral_hue=CREAM,
        font=list(SANS),
        font_mono=list(MONO),
        radius_size=gr.themes.sizes.radius_lg,
        spacing_size=gr.themes.sizes.spacing_md,
        text_size=gr.themes.sizes.text_md,
    )
    return theme.set(**_both("body_background_fill", "paper"), **_both("body_text_color", "ink"), **_controls())


def palette_css() -> str:
    """Return the palette as CSS variables for both looks."""
    light = "".join(f"--{name}:{colours[0]};" for name, colours in PALETTE.items())
    dark = "".join(f"--{name}:{colours[1]};" for name, colours in PALETTE.items())
    return f":root{{{light}}}.dark{{{dark}}}"


def _controls() -> dict[str, str]:
    values: dict[str, str] = {}
    for variable, colour in (
        ("body_text_color_subdued", "quiet"),
        ("background_fill_primary", "surface"),
        ("background_fill_secondary", "paper"),
        ("block_background_fill", "surface"),
        ("block_border_color", "line"),
        ("block_label_background_fill", "surface"),
        ("block_label_text_color", "quiet"),
        ("block_title_text_color", "ink"),
        ("block_info_text_color", "quiet"),
        ("border_color_primary", "line"),
        ("border_color_accent", "accent"),
        ("color_accent_soft", "peach"),
        ("input_background_fill", "raised"),
        ("input_border_color", "line"),
        ("input_border_color_focus", "accent"),
        ("input_placeholder_color", "hint"),
        ("button_primary_background_fill", "accent"),
        ("button_primary_background_fill_hover", "accent-strong"),
        ("button_primary_text_color", "on-accent"),
        ("button_secondary_background_fill", "raised"),
        ("button_secondary_background_fill_hover", "peach"),
        ("button_secondary_text_color", "ink"),
        ("button_secondary_border_color", "line"),
        ("checkbox_label_background_fill", "raised"),
        ("checkbox_label_background_fill_selected", "peach"),
        ("checkbox_label_text_color", "ink"),
        ("checkbox_label_text_color_selected", "ink"),
        ("checkbox_label_border_color", "line"),
        ("link_text_color", "accent"),
        ("panel_background_fill", "surface"),
    ):
        values |= _both(variable, colour)
    values |= {
        "block_shadow": "none",
        "block_shadow_dark": "none",
        "input_shadow": "none",
        "input_shadow_dark": "none",
        "button_border_width": "1px",
        "block_border_width": "0px",
        "block_border_width_dark": "0px",
        "block_padding": "0px",
        "block_label_padding": "0",
        "layout_gap": "20px",
        "button_large_padding": "10px 20px",
        "button_large_text_weight": "500",
        "block_title_text_weight": "600",
        "color_accent": "*primary_600",
    }
    return values


def _both(variable: str, colour: str) -> dict[str, str]:
    light, dark = PALETTE[colour]
    # Gradio's link and body variables have dark twins of the same form throughout.
    return {variable: light, f"{variable}_dark": dark}
