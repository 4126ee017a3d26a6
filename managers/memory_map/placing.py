"""Where memories lie on the map: what is alike lies close together. Numpy only, and the same every time.

Anchors (centres of likeness, at most 144) are laid out by t-SNE (van der Maaten and Hinton, 2008, exact);
every memory lies between the anchors that it is most like. Regions and quarters are two cuts of one
Ward tree over the anchors' places. A new fit begins where the last one ended, so the map stays the map.
"""

from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from managers.memory_map.passages import Vectors

ANCHORS = 144
DIMENSIONS = 48
_ROUNDS = 25
_NEAR = 3
_NO_SPREAD = 1e-9
_MANY = 60
_SHARPNESS = 14.0
_MOST_REGIONS = 12
_QUARTERS_EACH = 5
_PIECES_A_QUARTER = 14

Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Basis:
    """What vectors are reduced by: their mean, and the directions in which they differ most."""

    mean: Vectors
    directions: Vectors

    def reduce(self, vectors: Vectors) -> Vectors:
        """Return unit vectors of few dimensions; what has no direction of its own stays at zero."""
        low = (vectors - self.mean) @ self.directions
        lengths = np.linalg.norm(low, axis=1, keepdims=True)
        reduced: Vectors = (low / np.maximum(lengths, 1e-9)).astype(np.float32)
        return reduced


@dataclass(frozen=True, slots=True)
class Layout:
    """The anchors: their vectors, their places (0 to 1 both ways), and the region and quarter of each."""

    centres: Vectors
    spots: Floats
    regions: Whole
    quarters: Whole


def basis_of(vectors: Vectors) -> Basis:
    """Return the main directions of some vectors."""
    mean = vectors.mean(axis=0)
    spread = (vectors - mean).astype(np.float64)
    small = spread @ spread.T if len(vectors) < vectors.shape[1] else spread.T @ spread
    values, found = np.linalg.eigh(small)
    if float(values[-1]) < _NO_SPREAD:  # one memory, or all say the same: any direction will do
        return Basis(mean.astype(np.float32), np.eye(vectors.shape[1], 1, dtype=np.float32))
    keep = values > max(float(values[-1]) * 1e-6, 1e-12)
    found = found[:, keep][:, ::-1][:, :DIMENSIONS]
    directions = spread.T @ found if len(vectors) < vectors.shape[1] else found
    directions /= np.maximum(np.linalg.norm(directions, axis=0), 1e-12)
    # The strongest directions are tone and length more than topic: half whitened, they leave the others a say.
    strength = np.sqrt(np.sqrt(np.maximum(values[keep][::-1][:DIMENSIONS], 1e-12)))
    return Basis(mean.astype(np.float32), (directions * _signs(directions) / strength).astype(np.float32))


def _signs(directions: Floats) -> Floats:
    """Return what makes each direction's largest part positive: libraries differ in that."""
    largest = np.abs(directions).argmax(axis=0)
    signs: Floats = np.where(directions[largest, np.arange(directions.shape[1])] < 0, -1.0, 1.0)
    return signs


def fit(vectors: Vectors, before: tuple[Whole, Floats] | None = None) -> Layout:
    """Lay out the anchors.

    Args:
        vectors: reduced vectors of all pieces, unit length.
        before: for each piece the anchor it had (-1: none), and where each old anchor was.
    """
    start = _kept_centres(vectors, *before) if before is not None else None
    centres, assigned = _means(vectors, min(len(vectors), ANCHORS), start[0] if start else None)
    weights = np.bincount(assigned, minlength=len(centres)).astype(np.float64)
    old = _old_spots(len(centres), start)
    spots = _spread(centres, old)
    regions, quarters = _districts(spots, weights, len(vectors))
    return Layout(centres, spots, regions, quarters)


def place(vectors: Vectors, keys: list[str], layout: Layout) -> tuple[Whole, Floats]:
    """Return the nearest anchor of each piece, and its place."""
    if not len(vectors):
        return np.zeros(0, np.int64), np.zeros((0, 2))
    likeness = (vectors @ layout.centres.T).astype(np.float64)
    near = np.argsort(-likeness, axis=1, kind="stable")[:, :_NEAR]
    best = np.take_along_axis(likeness, near, axis=1)
    shares = np.exp(_SHARPNESS * (best - best[:, :1]))
    shares /= shares.sum(axis=1, keepdims=True)
    spots = (layout.spots[near] * shares[:, :, None]).sum(axis=1)
    # What lies on the same anchor is strewn around it: where, its name decides, so that it stays there.
    room = _room(layout.spots) * np.sqrt(1 - np.clip(best[:, 0], 0, 1))
    turns = np.array([lot(f"turn {key}") for key in keys]) * 2 * np.pi
    far = np.sqrt(np.array([lot(f"far {key}") for key in keys])) * room
    spots = spots + np.stack([np.cos(turns), np.sin(turns)], axis=1) * far[:, None]
    return near[:, 0].astype(np.int64), np.clip(spots, 0.0, 1.0)


def lot(text: str) -> float:
    """Return a number from 0 to 1 that a text always draws."""
    return int.from_bytes(blake2b(text.encode(), digest_size=4).digest(), "big") / 2**32


def _room(spots: Floats) -> float:
    """Return how far anchors are apart, usually."""
    if len(spots) < 2:  # noqa: PLR2004  # one is nowhere near another
        return 0.2
    distances = np.sqrt(_squares(spots))
    np.fill_diagonal(distances, np.inf)
    return float(np.median(distances.min(axis=1)))


def _squares(points: npt.NDArray[np.floating]) -> Floats:
    plain = points.astype(np.float64)
    lengths = (plain**2).sum(axis=1)
    squares: Floats = np.maximum(lengths[:, None] + lengths[None, :] - 2 * plain @ plain.T, 0.0)
    return squares


# What the anchors are, by k-means on the sphere


def _kept_centres(vectors: Vectors, anchors: Whole, spots: Floats) -> tuple[Vectors, Floats]:
    """Return the old anchors that still have pieces, as these read now, and where they were."""
    used = np.unique(anchors[anchors >= 0])
    centres = np.array([unit(vectors[anchors == one].sum(axis=0)) for one in used], np.float32)
    return centres.reshape(len(used), vectors.shape[1]), spots[used]


def _means(vectors: Vectors, count: int, start: Vectors | None) -> tuple[Vectors, Whole]:
    centres = _seeds(vectors, count, start)
    assigned = np.zeros(len(vectors), np.int64)
    for _ in range(_ROUNDS):
        nearest = (vectors @ centres.T).argmax(axis=1)
        if (nearest == assigned).all() and _ > 0:
            break
        assigned = nearest.astype(np.int64)
        for one in range(len(centres)):
            mine = vectors[assigned == one]
            if len(mine):
                centres[one] = unit(mine.sum(axis=0))
    return centres, assigned


def _seeds(vectors: Vectors, count: int, start: Vectors | None) -> Vectors:
    """Return where to begin: what is kept, then again and again the piece that is least like any so far."""
    if start is not None and len(start):
        seeds = list(start[:count])
    else:
        seeds = [vectors[int(np.argmax(vectors @ unit(vectors.sum(axis=0))))]]
    nearest = np.max(np.stack([vectors @ seed for seed in seeds]), axis=0)
    while len(seeds) < count:
        seed = vectors[int(np.argmin(nearest))]
        seeds.append(seed)
        nearest = np.maximum(nearest, vectors @ seed)
    return np.array(seeds, np.float32)


def unit(vector: Vectors) -> Vectors:
    """Return a vector of the same direction and length 1; one of zeros as it is."""
    length = float(np.linalg.norm(vector))
    return vector / np.float32(length) if length else vector


# Where the anchors lie, by t-SNE


def _old_spots(count: int, start: tuple[Vectors, Floats] | None) -> Floats | None:
    """Return where anchors were; those that are new are not a number."""
    if start is None or not len(start[1]):
        return None
    spots = np.full((count, 2), np.nan)
    spots[: min(count, len(start[1]))] = start[1][:count]
    return spots


def _spread(centres: Vectors, old: Floats | None) -> Floats:
    """Return a place for every anchor, from 0 to 1 both ways."""
    if len(centres) == 1:
        return np.array([[0.5, 0.5]])
    squares = _squares(centres)
    if old is None:
        flat = _flattened(centres)
        return _fitted(_evened(_tsne(squares, flat / max(float(flat.std()), 1e-9) * 1e-2, rounds=500, early=120)))
    known = ~np.isnan(old[:, 0])
    start = old.copy()
    for new in np.flatnonzero(~known):
        nearest = np.flatnonzero(known)[np.argsort(squares[new][known], kind="stable")[:2]]
        start[new] = old[nearest].mean(axis=0)
    start = start - start.mean(axis=0)
    # From where everything was, with no early push: the least that makes room for what is new.
    grown = _tsne(squares, start / max(float(start.std()), 1e-9) * 4.0, rounds=150, early=0)
    return _fitted(_turned_like(_evened(grown), old, known))


def _evened(spots: Floats) -> Floats:
    """Spread few places over the whole: t-SNE would throw them into two far corners."""
    share = 1 - len(spots) / _MANY
    return loosened(spots - spots.mean(axis=0), share) if share > 0 else spots


def loosened(ways: Floats, share: float) -> Floats:
    """Return ways from a middle in their directions, their lengths by a share those of a sunflower's seeds."""
    far = np.maximum(np.sqrt((ways**2).sum(axis=1)), 1e-9)
    ranks = np.empty(len(far))
    ranks[np.argsort(far, kind="stable")] = np.arange(len(far))
    even = np.sqrt((ranks + 0.5) / len(far)) * far.max()
    found: Floats = ways / far[:, None] * ((1 - share) * far + share * even)[:, None]
    return found


def _flattened(centres: Vectors) -> Floats:
    """Return the anchors' two main directions; what lies on one line is bent a little."""
    spread = (centres - centres.mean(axis=0)).astype(np.float64)
    left, values, _ = np.linalg.svd(spread, full_matrices=False)
    flat: Floats = np.zeros((len(centres), 2))
    width = min(2, left.shape[1])
    flat[:, :width] = left[:, :width] * values[:width]
    flat *= np.where(flat[np.abs(flat).argmax(axis=0), [0, 1]] < 0, -1, 1)
    flat[:, 1] += 1e-3 * np.cos(np.arange(len(flat)) * 2.4)
    return flat


def _tsne(squares: Floats, start: Floats, *, rounds: int, early: int) -> Floats:
    likely = _likelihoods(squares, min(12.0, max(1.5, (len(squares) - 1) / 4)))
    spots, speed = start.copy(), np.zeros_like(start)
    gains = np.ones_like(start)
    step = max(len(start) / 12, 8.0)
    for number in range(rounds):
        near = 1 / (1 + _squares(spots))
        np.fill_diagonal(near, 0)
        shown = np.maximum(near / near.sum(), 1e-12)
        pull = (likely * (8 if number < early else 1) - shown) * near
        slope = 4 * (pull.sum(axis=1)[:, None] * spots - pull @ spots)
        gains = np.maximum(np.where(np.sign(slope) != np.sign(speed), gains + 0.2, gains * 0.8), 0.01)
        speed = (0.5 if number < early else 0.8) * speed - step * gains * slope
        spots = spots + speed
        spots -= spots.mean(axis=0)
    return spots


def _likelihoods(squares: Floats, perplexity: float) -> Floats:
    count, wanted = len(squares), np.log(perplexity)
    rows = np.zeros((count, count))
    for row in range(count):
        others = np.delete(squares[row], row)
        others = others - others.min()
        low, high, sharp = 0.0, np.inf, 1.0
        for _ in range(50):
            shares = np.exp(-others * sharp)
            total = shares.sum()
            entropy = np.log(total) + sharp * float(others @ shares) / total
            if abs(entropy - wanted) < 1e-4:  # noqa: PLR2004  # near enough for a picture
                break
            low, high = (sharp, high) if entropy > wanted else (low, sharp)
            sharp = sharp * 2 if high == np.inf else (low + high) / 2
        rows[row, np.arange(count) != row] = shares / total
    both: Floats = np.maximum((rows + rows.T) / (2 * count), 1e-12)
    return both


def _turned_like(spots: Floats, old: Floats, known: npt.NDArray[np.bool_]) -> Floats:
    """Turn and mirror places so that they lie as the old ones did (orthogonal Procrustes)."""
    mine, theirs = spots[known] - spots[known].mean(axis=0), old[known] - old[known].mean(axis=0)
    left, _, right = np.linalg.svd(mine.T @ theirs)
    turned: Floats = (spots - spots[known].mean(axis=0)) @ (left @ right)
    return turned


def _fitted(spots: Floats) -> Floats:
    """Return places from 0 to 1 both ways, with a margin."""
    low, high = spots.min(axis=0), spots.max(axis=0)
    fitted: Floats = 0.06 + 0.88 * (spots - low) / np.maximum(high - low, 1e-9)
    return fitted


# What belongs together on the map, by Ward's tree


def _districts(spots: Floats, weights: Floats, pieces: int) -> tuple[Whole, Whole]:
    """Return region and quarter of every anchor; both are numbered by size."""
    regions = int(np.clip(round(0.9 * np.log2(pieces + 1) - 0.5), 1, min(_MOST_REGIONS, len(spots))))
    quarters = int(np.clip(pieces // _PIECES_A_QUARTER, regions, min(_QUARTERS_EACH * regions, len(spots))))
    cuts = _ward(spots, np.maximum(weights, 1e-6), {regions, quarters})
    return _by_size(cuts[regions], weights), _by_size(cuts[quarters], weights)


def _ward(spots: Floats, weights: Floats, wanted: set[int]) -> dict[int, Whole]:
    """Join the two groups whose joining costs least, until as many are left as are wanted."""
    labels = np.arange(len(spots))
    centres, sizes = spots.copy(), np.sqrt(weights)  # the root: a crowded place may still be two regions
    alive = np.ones(len(spots), np.bool_)
    cuts = {len(spots): labels.copy()} if len(spots) in wanted else {}
    for left in range(len(spots) - 1, 0, -1):
        ids = np.flatnonzero(alive)
        cost = _squares(centres[ids]) * (sizes[ids][:, None] * sizes[ids][None, :])
        cost /= sizes[ids][:, None] + sizes[ids][None, :]
        np.fill_diagonal(cost, np.inf)
        one, other = divmod(int(cost.argmin()), len(ids))
        keep, gone = ids[min(one, other)], ids[max(one, other)]
        centres[keep] = (centres[keep] * sizes[keep] + centres[gone] * sizes[gone]) / (sizes[keep] + sizes[gone])
        sizes[keep] += sizes[gone]
        alive[gone] = False
        labels[labels == gone] = keep
        if left in wanted:
            cuts[left] = labels.copy()
    return cuts


def _by_size(labels: Whole, weights: Floats) -> Whole:
    found = sorted(set(labels.tolist()), key=lambda one: (-float(weights[labels == one].sum()), one))
    numbers = {label: number for number, label in enumerate(found)}
    return np.array([numbers[label] for label in labels.tolist()], np.int64)
