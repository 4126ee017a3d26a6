"""All addresses of the page, room by room."""

from itertools import chain

from starlette.routing import BaseRoute

from ui.rooms.around import routes as around
from ui.rooms.backups import routes as backups
from ui.rooms.domains import routes as domains
from ui.rooms.dreams import routes as dreams
from ui.rooms.exports import routes as exports
from ui.rooms.front import routes as front
from ui.rooms.group import of_message
from ui.rooms.group import routes as group
from ui.rooms.guests import routes as guests
from ui.rooms.heart import routes as heart
from ui.rooms.history import routes as history
from ui.rooms.imports import routes as imports
from ui.rooms.knowledge import routes as knowledge
from ui.rooms.meaning import routes as meaning
from ui.rooms.memories import routes as memories
from ui.rooms.mind import card as mind_card
from ui.rooms.mind import menu as mind_menu
from ui.rooms.mind import routes as mind
from ui.rooms.notes import routes as notes
from ui.rooms.persona import learning, new
from ui.rooms.persona import routes as persona
from ui.rooms.programs import routes as programs
from ui.rooms.settings import routes as settings
from ui.rooms.tables import routes as tables
from ui.rooms.talk import routes as talk
from ui.rooms.usage import routes as usage
from ui.rooms.welcome import routes as welcome
from ui.server import assets, files, installing, keys, letters, live

_ROUTERS = (
    front.router,
    guests.router,
    group.router,
    of_message.router,
    welcome.router,
    new.router,
    imports.router,
    keys.router,
    assets.router,
    installing.router,
    letters.router,
    live.router,
    files.router,
    talk.router,
    persona.router,
    learning.router,
    persona.trash_router,
    exports.router,
    knowledge.router,
    notes.router,
    history.router,
    *memories.ROUTERS,
    mind_card.router,
    mind_menu.router,
    mind.router,
    meaning.router,
    usage.router,
    programs.router,
    backups.router,
    domains.router,
    settings.router,
    around.router,
    heart.router,
    dreams.router,
    tables.router,
)
ROUTES: tuple[BaseRoute, ...] = tuple(chain.from_iterable(router.routes for router in _ROUTERS))
"""In the order in which they are tried. A server takes them as they are: included in another router, FastAPI would build
each of them anew for every server, at its first request, which takes a quarter of a second.
"""
