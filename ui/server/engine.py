"""Gradio's API engine beside the pages: its server, its queue, its endpoints for programs, and its MCP server.

All that is known of Gradio's inside stands here (and in `ui/stubs.py`), and a test speaks up when Gradio changes it.
`Server.launch()` would bind its own socket and knock at its own door, which the gate refuses; so its parts are put together
by hand. The API and the tools are two `Blocks`: an MCP client may call whatever endpoint it knows the name of, listed or not,
so there is none but tools among those that it can reach.
"""

import asyncio
import importlib
import inspect
import logging
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar, cast, get_type_hints

from anyio import CapacityLimiter, to_thread
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response
from gradio import Blocks, Error, Server
from gradio.block_function import BlockFunction
from gradio.events import api
from gradio.route_utils import FnIndexInferError
from gradio.routes import App
from pydantic import ValidationError, validate_call
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from managers.storage.edges import said
from managers.storage.errors import Lang
from ui.errors import NoSuchEndpointError, WrongArgumentNamesError, WrongArgumentsError
from ui.locales import texts
from ui.server.programs.tools import ASKING
from ui.server.programs.ways import MCP

ALLOWED: Final = frozenset(
    {
        "/config",
        "/gradio_api/info",
        "/gradio_api/call/{api_name}",
        "/gradio_api/call/{api_name}/{event_id}",
        "/gradio_api/queue/join",
        "/gradio_api/queue/data",
        "/gradio_api/cancel",
    }
)
"""Gradio's own addresses that are answered; the others are 404."""

MOST_WAITING: Final = 100
"""So many calls wait for their turn; the next one is refused."""
MOST_AT_ONCE: Final = 20
"""So many calls are worked on at once, in threads that no page waits for."""
MOST_TOLD: Final = 24_000
"""So many characters of an answer an MCP client is handed: what its model can read beside all else."""
_MOST_NAMED: Final = 200
_LOOK_SECONDS: Final = 0.05
"""How often Gradio's queue looks whether a program has asked for something."""
_MOST_PROBLEMS: Final = 5
_NEVER_SECONDS: Final = 3600.0
"""How often it looks for progress bars, of which there are none."""

_END: Final = object()

Made = TypeVar("Made")
Endpoint = Callable[..., Any]
"""What a program may call: its name, docstring and annotations are its documentation. A generator streams."""


class _ToldError(Error):
    """A failure in one sentence, as programs are told it."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence, print_exception=False)

    def __str__(self) -> str:
        return str(self.message)


class _Blocks(Blocks):
    """Blocks that say in a sentence that arguments are missing; Gradio prints those that there are on the terminal."""

    def __init__(self, lang: Callable[[], Lang]) -> None:
        super().__init__(title="Utatane", mode="server", analytics_enabled=False)
        self._said_in = lang

    def validate_inputs(self, block_fn: BlockFunction, inputs: list[Any]) -> None:
        wanted = len(block_fn.inputs)
        if len(inputs) < wanted:
            error = WrongArgumentsError(name=block_fn.api_name, problems=f"{len(inputs)}/{wanted}")
            raise _ToldError(error.sentence(self._said_in()))


class _Application:
    """An ASGI application as a route's endpoint: what is a plain function would be taken for a handler of requests."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)


def make_server() -> Server:
    """Return the server that the pages are added to; what programs speak to comes last (`add_engine`)."""
    return _in_a_loop(lambda: Server(docs_url=None, redoc_url=None, openapi_url=None))


def add_engine(
    server: Server, endpoints: Sequence[Endpoint], tools: Sequence[Endpoint], lang: Callable[[], Lang]
) -> None:
    """Add what programs speak to behind the routes that are there already; nothing where there is nothing to call.

    Args:
        server: the server, with all of its pages.
        endpoints: what can be called through Gradio's API.
        tools: what can be called through MCP, whose package must be installed.
        lang: the language in which programs are told of failures.
    """
    parts: list[Callable[[], AbstractAsyncContextManager[None]]] = []
    told = partial(_told, lang=lang, threads=CapacityLimiter(MOST_AT_ONCE))
    if endpoints:
        server.add_exception_handler(FnIndexInferError, _no_such_endpoint(lang))
        parts.append(_in_a_loop(lambda: _add_api(server, _blocks(map(told, endpoints), lang))))
    if tools:
        parts.append(_in_a_loop(lambda: _add_mcp(server, _blocks(map(told, tools), lang, queue=False), tools, lang)))
    if not parts:
        return

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as running:
            for part in parts:
                await running.enter_async_context(part())
            yield

    server.router.lifespan_context = lifespan


def _in_a_loop(make: Callable[[], Made]) -> Made:
    """Return what a function makes of Gradio's parts; where no loop is running, Gradio begins loops that nobody closes."""

    async def made() -> Made:
        return make()

    return asyncio.run(made())


def _blocks(functions: Iterable[Endpoint], lang: Callable[[], Lang], *, queue: bool = True) -> Blocks:
    blocks = _Blocks(lang)
    with blocks:
        for function in functions:
            api(function, api_name=function.__name__, concurrency_limit=None, queue=queue)
    blocks.run_history = False  # what was asked stays here
    return blocks


def _add_api(server: Server, blocks: Blocks) -> Callable[[], AbstractAsyncContextManager[None]]:
    ours = list(server.router.routes)
    blocks.queue(max_size=MOST_WAITING)
    App.create_app(blocks, app=server, mcp_server=False)
    blocks._queue.set_server_app(server)  # noqa: SLF001  # `launch` does it
    blocks._queue.sleep_when_free = _LOOK_SECONDS  # noqa: SLF001  # it looks a thousand times a second otherwise
    blocks._queue.progress_update_sleep_when_free = _NEVER_SECONDS  # noqa: SLF001  # and a hundred times
    server.user_middleware.clear()  # other origins are the gate's matter; packing what stays on this computer costs time
    server.router.routes[:] = [*ours, *_allowed(server.router.routes[len(ours) :])]

    @asynccontextmanager
    async def running() -> AsyncIterator[None]:
        blocks.run_startup_events()  # type: ignore[no-untyped-call]  # without it calls hang
        await blocks.run_extra_startup_events()  # type: ignore[no-untyped-call]
        yield

    return running


def _add_mcp(
    server: Server, blocks: Blocks, tools: Sequence[Endpoint], lang: Callable[[], Lang]
) -> Callable[[], AbstractAsyncContextManager[None]]:
    import mcp  # noqa: F401, PLC0415  # an extra, and slow to import
    from gradio import mcp as gradio_mcp  # noqa: PLC0415

    logging.getLogger().addFilter(_says_nothing)
    importlib.reload(gradio_mcp)  # it was loaded without `mcp` (`ui/stubs.py`)
    blocks.config = blocks.get_config_file()  # what its list of tools is made from
    made = gradio_mcp.GradioMCPServer(blocks)
    manager = made.manager
    _say_as_ours(made.mcp_server.request_handlers, {tool.__name__: tool for tool in tools}, lang)
    for path in (MCP, f"{MCP}/"):
        server.router.routes.append(Route(path, _Application(manager.handle_request)))

    @asynccontextmanager
    async def running() -> AsyncIterator[None]:
        blocks.create_limiter()  # type: ignore[no-untyped-call]
        async with manager.run():
            yield

    return running


def _say_as_ours(handlers: dict[Any, Any], tools: Mapping[str, Endpoint], lang: Callable[[], Lang]) -> None:
    """Let MCP's server say which tools only read, answer wrong names in a sentence, and hand over no more than fits."""
    from mcp import types  # noqa: PLC0415  # an extra, and slow to import

    list_tools, call_tool = handlers[types.ListToolsRequest], handlers[types.CallToolRequest]

    async def listed(request: object) -> Any:  # noqa: ANN401  # MCP's own
        result = await list_tools(request)
        for tool in result.root.tools:
            reads = tool.name not in ASKING
            tool.annotations = types.ToolAnnotations(readOnlyHint=reads, destructiveHint=False, openWorldHint=False)
        return result

    async def called(request: Any) -> Any:  # noqa: ANN401  # the same
        name, given = request.params.name, request.params.arguments or {}
        known = inspect.signature(tools[name]).parameters.values() if name in tools else ()
        takes = {one.name: "*" if one.default is one.empty else "" for one in known}
        if name in tools and not {one for one in takes if takes[one]} <= given.keys() <= takes.keys():
            shown, named = ", ".join(given)[:_MOST_NAMED] or "–", ", ".join(map("".join, takes.items())) or "–"
            why = WrongArgumentNamesError(name=name, known=named, given=shown).sentence(lang())
            content = [types.TextContent(type="text", text=why)]
            return types.ServerResult(types.CallToolResult(content=content, isError=True))
        result = await call_tool(request)
        for part in result.root.content:
            if len(part.text) > MOST_TOLD:
                part.text = f"{part.text[:MOST_TOLD]}…\n{texts(lang())('programs.cut')}"
        return result

    handlers[types.ListToolsRequest], handlers[types.CallToolRequest] = listed, called


def _says_nothing(record: logging.LogRecord) -> bool:
    """Keep out of the program's log what `mcp` writes there of messages that it cannot read: their words."""
    return Path(record.pathname).parts[-3:] != ("mcp", "shared", "session.py")


def _allowed(routes: Iterable[BaseRoute]) -> Iterator[BaseRoute]:
    """Yield the routes that are answered, those of a router within (FastAPI keeps it as one route) as well."""
    for route in routes:
        within = getattr(route, "original_router", None)
        yield from (
            [route] if within is None and _path_of(route) in ALLOWED else _allowed(within.routes if within else ())
        )


def _path_of(route: BaseRoute) -> str:
    return str(getattr(route, "path", "")).rstrip("/")


def _without_paths(answer: Any) -> Any:  # noqa: ANN401  # any JSON
    """Return an answer in which `path` is called `file`.

    `gradio_client` takes every object with a `path` for a file and fetches it, from another server if it says so, with the
    token; and memories may hold whatever somebody wrote into them.
    """
    if isinstance(answer, dict):
        return {"file" if key == "path" else key: _without_paths(value) for key, value in answer.items()}
    return [_without_paths(value) for value in answer] if isinstance(answer, list) else answer


def _problems(error: ValidationError) -> str:
    """Return what was wrong with which argument, without the values."""
    return "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()[:_MOST_PROBLEMS])


def _no_such_endpoint(lang: Callable[[], Lang]) -> Callable[[Request, Exception], Response]:
    def answer(_request: Request, _error: Exception) -> Response:
        return JSONResponse({"detail": NoSuchEndpointError().sentence(lang())}, 404)

    return answer


def _told(function: Endpoint, lang: Callable[[], Lang], threads: CapacityLimiter) -> Endpoint:
    """Return a function that takes what a program sent only if it fits, and whose failures are sentences.

    It works in threads of its own: Gradio's are those of the pages, and a stream that somebody leaves would be waited for.
    """
    signature, checked = inspect.signature(function), validate_call(function)

    @contextmanager
    def edge() -> Iterator[None]:
        try:
            yield
        except Exception as error:  # noqa: BLE001  # the edge to other programs
            if isinstance(error, ValidationError):
                error = WrongArgumentsError(name=function.__name__, problems=_problems(error))
            raise _ToldError(said(error, "a call of another program").sentence(lang())) from None

    def begin(arguments: tuple[object, ...]) -> Any:  # noqa: ANN401
        return checked(**signature.bind(*arguments).arguments)

    async def streamed(*arguments: object) -> AsyncIterator[Any]:
        with edge():
            parts = await to_thread.run_sync(begin, arguments, limiter=threads)
            while (part := await to_thread.run_sync(next, parts, _END, limiter=threads)) is not _END:
                yield _without_paths(part)

    async def answered(*arguments: object) -> Any:  # noqa: ANN401
        with edge():
            return _without_paths(await to_thread.run_sync(begin, arguments, limiter=threads))

    told: Any = streamed if inspect.isgeneratorfunction(function) else answered
    told.__name__, told.__doc__ = function.__name__, function.__doc__
    told.__annotations__ = get_type_hints(function)
    told.__signature__ = inspect.signature(function, eval_str=True)
    return cast(Endpoint, told)
