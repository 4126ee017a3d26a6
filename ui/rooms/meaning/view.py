"""What the page about comparing meanings shows: the ways there are, and how far each is from being used."""

from collections.abc import Iterator
from dataclasses import dataclass

from agent.services import Services
from managers.fetching.fetched import is_fetched
from managers.recall.embedders import folder_model, local_model
from managers.recall.embedders.embedder_choice import gemini_key
from managers.recall.embedders.offered import Folder, OfferedModel, offered
from managers.recall.embedders.openai_embeddings import models_at
from managers.recall.embedders.sentence_encoder import find_package
from managers.recall.index.word_vectors import find_table
from managers.storage.settings import RecallSettings
from ui.locales import Texts

OWN = ("auto", "builtin", "japanese-vectors")
"""The ways that need nothing fetched and send nothing anywhere."""


@dataclass(frozen=True, slots=True)
class Way:
    """One way to compare meanings.

    Attributes:
        embedder, model: the settings that choose it.
        title, about: what it is called and good for.
        facts: size and licence, where there is something to fetch.
        lacks: what is to be said because it cannot be used; empty if it can.
        address: of a server.
    """

    embedder: str
    model: str
    title: str
    about: str
    facts: str = ""
    is_chosen: bool = False
    lacks: str = ""
    address: str = ""


@dataclass(frozen=True, slots=True)
class Fetchable:
    """A model that can be fetched: its way, and how far that is.

    Attributes:
        megabytes: about how large it is.
        done, total: bytes, while it is being fetched.
        problem: why it is not here although it was asked for.
    """

    way: Way
    name: str
    is_here: bool
    megabytes: int
    done: int = 0
    total: int = 0
    problem: str = ""


def own_ways(settings: RecallSettings, t: Texts) -> Iterator[Way]:
    """Yield the built-in ways."""
    for name in OWN:
        key = name.replace("-", "_")
        lacks = t("meaning.no_table") if name == "japanese-vectors" and find_table() is None else ""
        chosen = settings.embedder == name
        about = t(f"meaning.about_{key}") + (t("meaning.no_encoder") if name == "auto" and not find_package() else "")
        yield Way(name, "", t(f"options.choice.{key}"), about, is_chosen=chosen, lacks=lacks)


def fetchable(services: Services, settings: RecallSettings, t: Texts) -> Iterator[Fetchable]:
    """Yield the models that can be fetched."""
    models, fetch = services.home.models, services.fetches.current
    for model in offered().values():
        way = _way_of(model, settings, t)
        here = is_fetched(model.name, models)
        is_this = fetch is not None and fetch.name == model.name
        if fetch is None or not is_this:
            yield Fetchable(way, model.name, here, model.megabytes)
            continue
        total = max(fetch.total, 1) if fetch.is_going_on else 0
        problem = fetch.error.sentence(t.lang) if fetch.error is not None else ""
        yield Fetchable(way, model.name, here, model.megabytes, fetch.completed, total, problem)


def _way_of(model: OfferedModel, settings: RecallSettings, t: Texts) -> Way:
    is_chosen = settings.embedder == "sentence-model" and settings.embedder_model == model.name
    packages = ", ".join(folder_model.lacking_for(is_onnx="model.onnx" in model.files))
    lacks = t("meaning.no_packages", packages=packages) if packages else ""
    facts = t("meaning.facts", megabytes=model.megabytes, licence=model.licence)
    return Way("sentence-model", model.name, model.title, model.words(t.lang), facts, is_chosen, lacks)


def folder_way(services: Services, settings: RecallSettings, t: Texts) -> Way:
    """Return the way of a folder that the person names."""
    is_chosen = settings.embedder == "sentence-model" and settings.embedder_model not in offered()
    model = settings.embedder_model if is_chosen else ""
    folder = Folder.of(model, services.home.models)
    lacks = t("meaning.no_model_there") if model and not folder_model.holds_model(folder.path) else ""
    title, about = t("meaning.folder"), t("meaning.about_folder")
    return Way("sentence-model", model, title, about, is_chosen=is_chosen, lacks=lacks)


def library_way(settings: RecallSettings, t: Texts) -> Way:
    """Return the way of the library sentence-transformers."""
    is_chosen = settings.embedder == "sentence-transformers"
    model = settings.embedder_model if is_chosen else ""
    lacks = "" if local_model.is_installed() else t("meaning.no_library")
    title, about = t("options.choice.sentence_transformers"), t("meaning.about_library")
    return Way("sentence-transformers", model, title, about, is_chosen=is_chosen, lacks=lacks)


def server_ways(services: Services, settings: RecallSettings, t: Texts) -> Iterator[Way]:
    """Yield the models that make vectors on the servers of this computer that somebody said yes to."""
    for server in (one for one, answer in services.minds.local_servers() if answer):
        for model in models_at(server.address):
            chosen = (settings.embedder, settings.embedder_address, settings.embedder_model)
            is_chosen = chosen == ("server", server.address, model)
            about = t("meaning.about_found", service=server.service, address=server.place)
            yield Way("server", model, model, about, is_chosen=is_chosen, address=server.address)


def typed_server_way(settings: RecallSettings, t: Texts) -> Way:
    """Return the way of a server whose address the person types."""
    is_chosen = settings.embedder == "server"
    address, model = (settings.embedder_address, settings.embedder_model) if is_chosen else ("", "")
    title, about = t("meaning.server"), t("meaning.about_server")
    return Way("server", model, title, about, is_chosen=is_chosen, address=address)


def remote_way(services: Services, settings: RecallSettings, t: Texts) -> Way:
    """Return the way of a provider to which texts are sent."""
    has_key = bool(gemini_key(services.secrets))
    about = t("meaning.about_gemini") + (t("meaning.same_key") if has_key else "")
    lacks = "" if has_key else t("meaning.no_key")
    return Way("gemini", "", "Gemini", about, is_chosen=settings.embedder == "gemini", lacks=lacks)
