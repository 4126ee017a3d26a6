"""Backups as they are shown: each on a line, and how far it is known to be good."""

from managers.exchange.backups.listing import REASONS, Head
from ui.locales import Texts


def in_a_line(head: Head, t: Texts) -> str:
    """Return all that is known of a backup on one line, for the terminal."""
    return f"{head.id}  {head.made_at.replace('T', ' ')}  {reason(head, t)}  {size(head, t)}  {proof(head, t)}"


def reason(head: Head, t: Texts) -> str:
    """Return why a backup was made."""
    return t(f"backups.reason.{head.reason if head.reason in REASONS else 'other'}")


def size(head: Head, t: Texts) -> str:
    """Return how much a backup holds, and how much of that was new."""
    return t("backups.size", count=head.files, megabytes=f"{head.bytes / 1e6:.1f}", new=f"{head.new_bytes / 1e6:.1f}")


def proof(head: Head, t: Texts) -> str:
    """Return how far a backup is known to be good."""
    said = [t(f"backups.proof.{head.proof.level}", files=", ".join(head.proof.bad[:3]) or head.id)]
    if head.proof.findings:
        said.append(t("backups.findings", count=head.proof.findings))
    if head.left_out:
        said.append(t("backups.left_out", files=", ".join(head.left_out[:3])))
    if head.is_encrypted:
        said.append(t("backups.is_encrypted"))
    return " ".join(said)
