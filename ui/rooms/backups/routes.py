"""Settings: backups, what is in them, and the ways back."""

from pathlib import PurePosixPath
from typing import Final
from urllib.parse import quote

from fastapi import APIRouter
from fastapi.responses import Response

from managers.exchange.backups.listing import Head
from managers.exchange.backups.state import same_disk
from managers.storage.errors import UtataneError
from ui.components.times import day_name
from ui.rooms.backups import view
from ui.rooms.settings.options import options_of, spoken
from ui.rooms.settings.routes import settings_address, shelf_of
from ui.server.addresses import address_of
from ui.server.visit import FormText, Here, Visit

_HERE: Final = "/settings/backup"

router = APIRouter(prefix=_HERE)


@router.get("")
def show(visit: Here) -> Response:
    """Show when the last good backup was made, which there are, and how they are made."""
    daily = visit.services.backups
    heads, problem, is_locked, is_encrypted = list[Head](), None, False, False
    good = None
    try:
        repository = daily.backups.repository()
        heads, is_encrypted = daily.backups.heads(), repository.is_encrypted
        good = daily.backups.last_good()
        is_locked = any(head.is_encrypted for head in heads) and not repository.key
    except UtataneError as error:
        problem = error
    return visit.show(
        "rooms/backups/backups.html",
        shelf=shelf_of(visit, "backup"),
        options=[option for option in options_of(visit.services) if option.section == "backup"],
        spoken=spoken,
        heads=heads,
        own=daily.backups.home_id,
        good=good,
        good_day=day_name(good.time.date(), visit.now.date(), visit.t) if good else "",
        progress=daily.progress,
        problem=problem,
        place=daily.backups.place,
        is_same_disk=same_disk(daily.backups.place.parent, visit.services.home),
        is_encrypted=is_encrypted,
        is_locked=is_locked,
        plain=sum(not head.is_encrypted for head in heads) if is_encrypted else 0,
        view=view,
        home=visit.services.home.folder,
    )


@router.post("/begin")
def begin(visit: Here, doing: FormText) -> Response:
    """Make a backup now, or check all there are, while the page goes on."""
    has_begun = visit.services.backups.begin("check" if doing == "check" else "now")
    return _back(visit, visit.t("backups.began" if has_begun else "backups.busy"))


@router.post("/encrypt")
def encrypt(visit: Here, passphrase: FormText = "", again: FormText = "", off: FormText = "") -> Response:
    """Encrypt from now on, or no more."""
    backups = visit.services.backups.backups
    if off:
        backups.stop_encrypting()
        return _back(visit, visit.t("backups.encrypted_off"))
    if passphrase != again:
        return visit.lead(settings_address(visit, "backup"), problem=visit.t("backups.passphrases_differ"))
    backups.encrypt(passphrase)
    return _back(visit, visit.t("backups.encrypted_on"))


@router.post("/unlock")
def unlock(visit: Here, passphrase: FormText = "") -> Response:
    """Let this computer know the key."""
    visit.services.backups.backups.unlock(passphrase)
    return _back(visit, visit.t("backups.unlocked"))


@router.get("/{name}")
def look_into(visit: Here, name: str) -> Response:
    """Show what can be brought back from one."""
    backups = visit.services.backups.backups
    head = backups.find(name)
    address = f"{_HERE}/{head.id}"
    return visit.part("rooms/backups/one.html", head=head, personas=backups.personas_in(head), address=address)


@router.get("/{name}/file")
def save_file(visit: Here, name: str, path: str = "") -> Response:
    """Answer with one file as it was; no browser shows it as a page."""
    from managers.exchange.backups.returning import file_bytes  # noqa: PLC0415  # no start pays for what it loads

    backups = visit.services.backups.backups
    data = file_bytes(backups, backups.find(name), path.strip("/ "))
    disposition = f"attachment; filename*=utf-8''{quote(PurePosixPath(path).name)}"
    return Response(data, media_type="application/octet-stream", headers={"content-disposition": disposition})


@router.post("/{name}/persona")
def bring_back(visit: Here, name: str, persona: FormText) -> Response:
    """Bring a persona back under a free name."""
    from managers.exchange.backups.returning import restore_persona  # noqa: PLC0415  # as above

    services = visit.services
    backups = services.backups.backups
    back = restore_persona(backups, services.personas, backups.find(name), persona)
    return visit.lead(address_of(back, ""), visit.t("backups.persona_back", name=back))


@router.post("/{name}/delete")
def delete(visit: Here, name: str) -> Response:
    """Delete one for good."""
    freed = visit.services.backups.backups.remove([name])
    return _back(visit, visit.t("backups.deleted", count=1, megabytes=f"{freed / 1e6:.1f}"))


def _back(visit: Visit, done: str) -> Response:
    return visit.lead(settings_address(visit, "backup"), done)
