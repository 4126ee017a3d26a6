"""Whether a persona's files are whole: copies that lie about, files set aside or in other encodings, what is lost."""

from managers.integrity.trouble import Trouble

__all__ = ["Trouble"]
