"""Where the entities of a network sit: ties pull, all push each other away (Fruchterman and Reingold, 1991).

The same every time: it begins where it ended the last time, and what is new beside those it is tied to.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from managers.memory_map.placing import Floats, loosened

Seats = dict[str, tuple[float, float]]

_ROUNDS = 260
_GOLDEN = 2.399963
_ON_ONE_LINE = 1e-6


def settle(
    names: Sequence[str], ties: Sequence[tuple[str, str, int]], before: Mapping[str, tuple[float, float]], centre: str
) -> Seats:
    """Return a seat for every name, from 0 to 1 both ways.

    Args:
        names: who is to be seated.
        ties: (one, other, strength).
        before: where some sat the last time, when there were other names or ties.
        centre: who sits in the middle; empty: nobody.
    """
    if not names:
        return {}
    known = [name in before for name in names]
    numbers = {name: at for at, name in enumerate(names)}
    pulls = np.zeros((len(names), len(names)))
    for one, other, strength in ties:
        pulls[numbers[one], numbers[other]] = pulls[numbers[other], numbers[one]] = 1 + np.log(strength)
    spots = _beginnings(names, pulls, before if not centre else {})
    pinned = numbers.get(centre)
    is_mostly_known = not centre and sum(known) > len(names) / 2
    spots = _moved(spots, pulls, pinned, heat=0.03 if is_mostly_known else 0.12)
    spots = _fitted(spots, pinned)
    return {name: (round(float(x), 4), round(float(y), 4)) for name, (x, y) in zip(names, spots, strict=True)}


def _beginnings(names: Sequence[str], pulls: Floats, before: Mapping[str, tuple[float, float]]) -> Floats:
    # A sunflower, those with most ties inside.
    order = np.argsort(-pulls.sum(axis=1), kind="stable")
    ranks = np.empty(len(names))
    ranks[order] = np.arange(len(names))
    far = 0.45 * np.sqrt((ranks + 0.5) / len(names))
    spots = 0.5 + np.stack([far * np.cos(ranks * _GOLDEN), far * np.sin(ranks * _GOLDEN)], axis=1)
    known = [at for at, name in enumerate(names) if name in before]
    for at in known:
        spots[at] = before[names[at]]
    for at, name in enumerate(names):
        beside = [other for other in known if pulls[at, other]]
        if name not in before and beside:
            spots[at] = spots[beside].mean(axis=0) + 0.04 * np.array([np.cos(at), np.sin(at)])
    return spots


def _moved(spots: Floats, pulls: Floats, pinned: int | None, heat: float) -> Floats:
    apart = 0.75 / np.sqrt(len(spots))
    ties = np.maximum((pulls > 0).sum(axis=1), 1)
    pulls = pulls / np.sqrt(ties[:, None] * ties[None, :])  # who is tied to everybody draws nobody in
    for number in range(_ROUNDS):
        ways = spots[:, None, :] - spots[None, :, :]
        far = np.maximum(np.sqrt((ways**2).sum(axis=2)), 1e-4)
        push = apart**2 / far**2
        np.fill_diagonal(push, 0)
        pull = pulls * far / apart
        steps = ((push - pull)[:, :, None] * ways / far[:, :, None] * apart).sum(axis=1)
        steps -= 0.3 * apart * (spots - 0.5)  # what is tied to nobody does not drift off
        lengths = np.maximum(np.sqrt((steps**2).sum(axis=1, keepdims=True)), 1e-9)
        spots = spots + steps / lengths * np.minimum(lengths, heat * (1 - number / _ROUNDS))
        if pinned is not None:
            spots[pinned] = 0.5
    return spots


def _fitted(spots: Floats, pinned: int | None) -> Floats:
    if len(spots) == 1:
        return np.array([[0.5, 0.5]])
    if pinned is not None:
        reach = np.maximum(np.abs(spots - spots[pinned]).max(axis=0), 1e-6)
        around: Floats = 0.5 + 0.46 * (spots - spots[pinned]) / reach
        return around
    middle = np.median(spots, axis=0)
    spots = middle + loosened(spots - middle, 0.7)  # a crowded middle
    low, spread = spots.min(axis=0), np.ptp(spots, axis=0)
    wide = spread > _ON_ONE_LINE
    fitted: Floats = 0.04 + 0.92 * (spots - low) / np.where(wide, spread, 1.0)
    fitted[:, ~wide] = 0.5
    return fitted
