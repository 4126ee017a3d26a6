"""The address of a Redis: its password is kept apart from the settings, in `secrets.toml`."""

from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit


def parted(url: str) -> tuple[str, str]:
    """Return an address without its password, and the password as the address had it (percent-encoded)."""
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return url, ""
    login, at, host = parts.netloc.rpartition("@")
    user, _, password = login.partition(":")
    asked = parse_qsl(parts.query, keep_blank_values=True)
    in_query = next((value for key, value in asked if key == "password"), "")
    if not password and not in_query:
        return url, ""
    query = urlencode([(key, value) for key, value in asked if key != "password"])
    netloc = f"{user}{at}{host}" if user else host
    return urlunsplit(parts._replace(netloc=netloc, query=query)), password or quote(in_query, safe="")


def with_password(url: str, password: str) -> str:
    """Return an address with its password in it; an address that cannot be understood as it is."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    if not password or not parts.scheme:
        return url
    user, _, host = parts.netloc.rpartition("@")
    return urlunsplit(parts._replace(netloc=f"{user}:{password}@{host}"))
