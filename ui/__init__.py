"""The browser interface: one module per tab, presenters, locales, theme."""
