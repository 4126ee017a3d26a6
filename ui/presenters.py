"""What is shown: pure functions from messages, hits and statuses to the HTML of the page.

Everything that a person or a mind wrote passes through `escape` or the safe Markdown renderer here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from html import escape
from pathlib import PurePosixPath
from urllib.parse import quote

from agent.companion import MindStatus
from managers.memory.messages import Message
from managers.recall.hits import Hit
from managers.storage.errors import Notice, UtataneError
from managers.usage.errors import CapReachedError
from ui.locales import Texts
from ui.markdown import render_markdown, render_plain
from ui.times import clock_time, day_name, when

SHOWN_CHARACTERS = 20_000
"""A longer message is cut on the page (never in the log), with a link to the whole."""
CURRENT = ' aria-current="true"'
PICTURES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".webp"})
"""What may be shown as a picture; everything else is offered as a download."""


@dataclass(frozen=True, slots=True)
class Item:
    """One entry of the transcript: the page's script updates the entries whose HTML has changed."""

    id: str
    html: str


@dataclass(frozen=True, slots=True)
class Face:
    """How the persona looks in its messages."""

    name: str
    avatar: str
    """Address of the picture, or empty."""


@dataclass(frozen=True, slots=True)
class Live:
    """A turn as far as it has come: what was heard and what it was answered with, by their ids, and what is shown."""

    heard: str = ""
    answer: str = ""
    thinking: str = ""
    speaking: str = ""
    used: tuple[str, ...] = ()
    hits: tuple[Hit, ...] = ()
    noticed: tuple[Notice, ...] = ()
    error: UtataneError | None = None
    over: bool = False


def persona_address(name: str) -> str:
    """Return the address under which a persona's pictures and files are served."""
    return f"/personas/{quote(name, safe='')}"


def transcript(
    messages: Sequence[Message],
    face: Face,
    today: date,
    t: Texts,
    *,
    recalled: Mapping[str, int] | None = None,
    off_record: bool = False,
) -> list[Item]:
    """Return the entries for messages: day separators, topic breaks and bubbles.

    `recalled` says how many memories were recalled for an answer, by its id.
    """
    items: list[Item] = []
    day: date | None = None
    topic = max((n for n, message in enumerate(messages) if _begins_topic(message)), default=-1)
    last_user = max((n for n, message in enumerate(messages) if message.role == "user" and n > topic), default=-1)
    for n, message in enumerate(messages):
        if message.time.date() != day:
            day = message.time.date()
            items.append(Item(f"day-{day}{'-off' if off_record else ''}", _separator(day_name(day, today, t))))
        mine = n == last_user
        # A message that was never answered (the program was killed, say) can be answered from here too.
        last_said = n == len(messages) - 1 and message.role in ("persona", "user") and last_user >= 0
        html = _message(
            message,
            face,
            t,
            can_change=mine and not off_record,
            can_retry=last_said and not off_record,
            recalled=(recalled or {}).get(message.id, 0),
        )
        items.append(Item(message.id, html))
    return items


def opening(greeting: str, face: Face, t: Texts) -> Item:
    """Return the persona's first words, shown while nothing has been said yet."""
    words = render_markdown(greeting or t("chat.silent_opening", name=face.name))
    return Item(
        "opening",
        f'<div class="opening">{_portrait(face, "large")}<h2>{escape(face.name)}</h2>'
        f'<div class="bubble">{words}</div></div>',
    )


def older_button(t: Texts) -> Item:
    """Return the button that asks for what was said before."""
    return Item("older", f'<button type="button" class="older" data-action="older">{escape(t("chat.older"))}</button>')


def live_reply(live: Live, face: Face, t: Texts) -> Item:
    """Return the reply under way."""
    parts = [_tools(live.used, t)]
    if live.thinking:
        parts.append(_reasoning(live.thinking, t))
    if live.speaking:
        parts.append(f'<div class="bubble">{render_markdown(live.speaking)}</div>')
    elif not live.over:
        parts.append(
            f'<div class="bubble waiting" role="status" aria-label="{escape(t("chat.waiting"))}">{_DOTS}</div>'
        )
    return Item(
        "live",
        f'<article class="message persona live" aria-label="{escape(face.name)}" aria-busy="true">'
        f'{_portrait(face)}<div class="words">{"".join(parts)}</div></article>',
    )


def failure(error: UtataneError, t: Texts, *, can_retry: bool = True) -> Item:
    """Return what went wrong with a turn, in one sentence, with a way to try again; at a cap, the ways past it.

    Off the record nothing can be answered again: what was said is in no log.
    """
    by, key = ("builtin", "usage.builtin_once") if isinstance(error, CapReachedError) else ("", "chat.try_again")
    ways = f'<button type="button" data-action="retry" data-by="{by}">{escape(t(key))}</button>' if can_retry else ""
    if isinstance(error, CapReachedError):
        ways += f'<button type="button" data-action="caps">{escape(t("usage.to_caps"))}</button>'
    return Item("failure", f'<div class="failure" role="alert"><p>{escape(error.sentence(t.lang))}</p>{ways}</div>')


def noticed(notice: Notice, t: Texts) -> Item:
    """Return what there is to know about how an answer came about: a model that cannot see, a mind that stands in."""
    sentence = escape(notice.sentence(t.lang))
    return Item(f"noticed-{notice.code}", f'<p class="noticed {notice.level}" role="status">{sentence}</p>')


def off_record_banner(t: Texts) -> Item:
    """Return the line under which nothing is written down."""
    return Item(
        "off-record", f'<div class="separator off-record"><span>{escape(t("chat.off_record_line"))}</span></div>'
    )


def outcome(turn: Live, t: Texts, *, can_retry: bool) -> list[Item]:
    """Return what is to be known of how a turn went: notices, and what it failed of."""
    items = [noticed(notice, t) for notice in turn.noticed]
    return [*items, failure(turn.error, t, can_retry=can_retry)] if turn.error else items


def reasoning_item(message_id: str, text: str, t: Texts) -> Item:
    """Return the reasoning behind a message that was just spoken; it is kept nowhere."""
    return Item(f"reasoning-{message_id}", f'<div class="kept-reasoning">{_reasoning(text, t)}</div>')


def recollections(query: str, hits: Sequence[Hit], now: datetime, t: Texts) -> str:
    """Return what was recalled for an answer and why it was looked for."""
    if not hits:
        return f"<p>{escape(t('chat.recalled_nothing'))}</p>"
    reason = f'<p class="query">{escape(t("chat.recalled_for", query=query))}</p>' if query else ""
    return f'{reason}<ol class="hits">{"".join(_hit(hit, now, t) for hit in hits)}</ol>'


def persona_head(face: Face, t: Texts) -> str:
    """Return the persona's face and name, for the page's head."""
    return (
        f'<button type="button" class="menu icon" data-action="menu" aria-label="{escape(t("page.menu"))}"></button>'
        f"{_portrait(face)}<h1>{escape(face.name)}</h1>"
    )


def persona_list(faces: Sequence[Face], current: str, t: Texts) -> str:
    """Return the personas at the side, as buttons."""
    rows = "".join(
        f'<li><button type="button" data-action="persona" data-persona="{escape(face.name)}"'
        f"{CURRENT if face.name == current else ''}>{_portrait(face)}<span>{escape(face.name)}</span></button></li>"
        for face in faces
    )
    return (
        f'<nav aria-label="{escape(t("page.personas"))}"><ul>{rows}</ul>'
        f'<button type="button" class="create" data-action="create"><i class="icon"></i>{escape(t("page.create"))}</button></nav>'
    )


def persona_card(face: Face, greeting: str, *, chosen: bool) -> str:
    """Return a persona as a card that can be chosen."""
    return (
        f'<button type="button" class="persona-card" data-action="persona" data-persona="{escape(face.name)}" '
        f'aria-pressed="{"true" if chosen else "false"}">{_portrait(face)}<span><b>{escape(face.name)}</b>'
        f"<small>{escape(greeting)}</small></span></button>"
    )


def portrait_of(face: Face) -> str:
    """Return the persona's face, large."""
    return _portrait(face, "large")


def mind_chip(status: MindStatus, t: Texts) -> str:
    """Return which mind speaks, for the page's head: always visible."""
    where = t("mind.leaves") if status.leaves_machine else t("mind.stays")
    if not status.is_answering:
        where = t("mind.away")
    kind = "" if status.is_language_model else f'<span class="honest">{escape(t("mind.honest"))}</span>'
    style = "leaves" if status.leaves_machine else "stays"
    style = style if status.is_answering else "away"
    sentence = status.ja if t.lang == "ja" else status.en
    return (
        f'<button type="button" class="mind-chip {style}" data-action="mind" title="{escape(sentence)}">'
        f'<span class="dot" aria-hidden="true"></span><span class="mind-name">{escape(_mind_name(status.name, t))}</span>'
        f'<span class="where">{escape(where)}</span>{kind}</button>'
    )


def notices(found: Iterable[Notice], t: Texts, ways: Mapping[str, str] | None = None) -> str:
    """Return the notices that stand above the conversation until they are dismissed.

    Args:
        found: the notices.
        t: the page's texts.
        ways: by a notice's code, the button that leads to what can be done about it.
    """
    ways = ways or {}
    rows = "".join(
        f'<li class="{notice.level}" data-notice="{escape(_key(notice))}">'
        f"<span>{escape(notice.sentence(t.lang))}</span>{ways.get(notice.code, '')}"
        f'<button type="button" data-action="dismiss" aria-label="{escape(t("page.dismiss"))}">×</button></li>'
        for notice in found
    )
    return f'<ul class="notices">{rows}</ul>' if rows else ""


def _key(notice: Notice) -> str:
    return notice.code if notice.level == "passing" else f"{notice.code}:{hash_text(notice.en)}"


def hash_text(text: str) -> int:
    """Return a small stable number for a text: a notice dismissed today stays dismissed tomorrow."""
    number = 0
    for character in text:
        number = (number * 31 + ord(character)) % 1_000_000_007
    return number


def _message(message: Message, face: Face, t: Texts, *, can_change: bool, can_retry: bool, recalled: int) -> str:
    if message.role == "system":
        return _announcement(message, t)
    mine = message.role == "user"
    name = message.speaker or (t("chat.you") if mine else face.name)
    text, cut = _cut(message.text)
    words = render_plain(text) if mine else render_markdown(text)
    broken = f'<p class="broken-off">{escape(t("chat.broken_off"))}</p>' if message.broken_off else ""
    bubble = f'<div class="bubble">{words}{_whole(message, face, t) if cut else ""}</div>' if message.text else ""
    foot = _foot(message, t, can_change=can_change and not cut, can_retry=can_retry)
    foot += _why(message, face, recalled, t) if recalled else ""
    return (
        f'<article class="message {message.role}" data-id="{escape(message.id)}" '
        f'aria-label="{escape(t("chat.said_at", name=name, time=clock_time(message.time)))}">'
        f'{"" if mine else _portrait(face)}<div class="words">{_attachments(message, face, t)}{bubble}{broken}{foot}</div></article>'
    )


def _announcement(message: Message, t: Texts) -> str:
    if _begins_topic(message):
        return _separator(t("chat.new_topic_line"), "topic")
    return f'<div class="announcement">{escape(message.text[:SHOWN_CHARACTERS])}</div>'


def _begins_topic(message: Message) -> bool:
    return message.role == "system" and message.speaker == "new_topic"


def _foot(message: Message, t: Texts, *, can_change: bool, can_retry: bool) -> str:
    stamp = f'<time datetime="{message.time.isoformat()}">{clock_time(message.time)}</time>'
    mind = f'<span class="by">{escape(_mind_name(message.mind, t))}</span>' if message.mind else ""
    buttons = [_button("copy", t)]
    if can_retry:
        buttons.append(_button("retry", t))
    if can_change:
        buttons += [_button("edit", t), _button("delete", t)]
    return f'<footer>{stamp}{mind}<span class="actions">{"".join(buttons)}</span></footer>'


def _why(message: Message, face: Face, recalled: int, t: Texts) -> str:
    address = f"{persona_address(face.name)}/why/{quote(message.id, safe='')}?lang={t.lang}"
    return (
        f'<details class="why" data-fetch="{escape(address)}"><summary>{escape(t("chat.why", count=recalled))}</summary>'
        f'<div class="fetched" aria-live="polite"></div></details>'
    )


def _button(action: str, t: Texts) -> str:
    label = escape(t(f"chat.{action}"))
    return f'<button type="button" class="icon {action}" data-action="{action}" aria-label="{label}" title="{label}"></button>'


def _cut(text: str) -> tuple[str, bool]:
    if len(text) <= SHOWN_CHARACTERS:
        return text, False
    return text[:SHOWN_CHARACTERS] + "…", True


def _whole(message: Message, face: Face, t: Texts) -> str:
    address = f"{persona_address(face.name)}/messages/{quote(message.id, safe='')}"
    label = t("chat.whole_text", count=f"{len(message.text):,}")
    return f'<p class="whole"><a href="{escape(address)}" target="_blank" rel="noopener">{escape(label)}</a></p>'


def _attachments(message: Message, face: Face, t: Texts) -> str:
    return "".join(_attachment(PurePosixPath(path), face, t) for path in message.attachments)


def _attachment(path: PurePosixPath, face: Face, t: Texts) -> str:
    address = escape(f"{persona_address(face.name)}/attachments/{quote(path.name, safe='')}")
    name = escape(path.name)
    if path.suffix.lower() in PICTURES:
        label = escape(t("chat.picture", name=path.name))
        return (
            f'<a class="picture" href="{address}" target="_blank" rel="noopener">'
            f'<img src="{address}" alt="{label}" loading="lazy"></a>'
        )
    return f'<a class="file" href="{address}" target="_blank" rel="noopener">{name}</a>'


def _portrait(face: Face, size: str = "") -> str:
    if face.avatar:
        return f'<img class="face {size}" src="{escape(face.avatar)}" alt="">'
    return f'<span class="face letter {size}" aria-hidden="true">{escape(face.name[:1])}</span>'


def _separator(label: str, kind: str = "day") -> str:
    return f'<div class="separator {kind}" role="separator"><span>{escape(label)}</span></div>'


def _reasoning(text: str, t: Texts) -> str:
    return f'<details class="reasoning" data-keep="reasoning"><summary>{escape(t("chat.reasoning"))}</summary><div tabindex="0">{escape(text)}</div></details>'


def _tools(used: Sequence[str], _t: Texts) -> str:
    return "".join(f'<div class="announcement">{escape(text)}</div>' for text in used)


def _hit(hit: Hit, now: datetime, t: Texts) -> str:
    stamp = f"<time>{escape(when(hit.time, now, t))}</time>" if hit.time else ""
    speaker = f"<b>{escape(hit.speaker)}</b>" if hit.speaker else ""
    layer = t(f"layers.{hit.source}")
    closeness = max(0, min(100, round(100 * (1 - hit.score / 2))))
    return (
        f'<li><p class="from"><span class="kind">{escape(t(f"types.{hit.type}"))}</span>{stamp}{speaker}</p>'
        f"<blockquote>{escape(hit.text)}</blockquote>"
        f'<p class="reason">{escape(t("chat.reason", layer=layer, closeness=closeness))}{_shares(hit, t)}</p></li>'
    )


def _shares(hit: Hit, t: Texts) -> str:
    """Return what each part of the search gave to a hit's place."""
    shares = [f"{t(f'reasons.{part}')} {share:.0%}" for part, share in hit.why]
    return escape(f" ({' · '.join(shares)})") if shares else ""


def _mind_name(name: str, t: Texts) -> str:
    return t("mind.builtin_name") if name == "built-in" else name


_DOTS = '<span class="dots" aria-hidden="true"><i></i><i></i><i></i></span>'
