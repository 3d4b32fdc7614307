"""Who reads whom in a model, as a graph: how long is the way between two tokens, and how many steps must wait?

The columns 'sequential operations' and 'maximum path length' of Vaswani et al. (2017, table 1), counted.
"""

from __future__ import annotations

from collections import deque

from viz_model.analysis.memory import CausalModel
from viz_model.models import Convolutional, Decoder

Node = tuple[int, int]  # (layer, position); layer 0 is the embedding, layer i + 1 what layer i writes
Wiring = dict[Node, tuple[Node, ...]]  # a node -> what it reads


def wiring(model: CausalModel, n: int) -> Wiring:
    """Which vector each vector of a model is computed from, for n positions.

    Attention and convolution read the layer below; a recurrent layer reads one vector below and its own last state.
    """
    graph: Wiring = {(0, position): () for position in range(n)}
    for layer in range(model.config.n_layers):
        graph |= {(layer + 1, position): reads for position, reads in enumerate(_reads(model, layer, n))}
    return graph


def _reads(model: CausalModel, layer: int, n: int) -> list[tuple[Node, ...]]:
    if isinstance(model, Decoder):
        mask = model.own_mask(n)[0, 0].tolist()
        return [tuple((layer, key) for key in range(n) if mask[query][key]) for query in range(n)]
    if isinstance(model, Convolutional):
        gap = model.config.gaps[layer]
        reach = [[at - i * gap for i in range(model.config.kernel)] for at in range(n)]
        return [tuple((layer, at) for at in places if at >= 0) for places in reach]
    return [((layer, at), *([(layer + 1, at - 1)] if at else [])) for at in range(n)]


def path_lengths(graph: Wiring, end: Node) -> dict[Node, int]:
    """The fewest steps from every node to `end`, breadth first; nodes that cannot reach it are left out."""
    found, waiting = {end: 0}, deque([end])
    while waiting:
        node = waiting.popleft()
        for read in graph[node]:
            if read not in found:
                found[read] = found[node] + 1
                waiting.append(read)
    return found


def longest_path(model: CausalModel, n: int) -> int | None:
    """Steps on the shortest way to the last output from the token that is farthest from it; None where one cannot."""
    graph = wiring(model, n)
    found = path_lengths(graph, (model.config.n_layers, n - 1))
    lengths = [found.get((0, position)) for position in range(n)]
    return None if None in lengths else max(length for length in lengths if length is not None)


def shortest_path(graph: Wiring, start: Node, end: Node) -> tuple[Node, ...]:
    """The vectors on a shortest way from `start` to `end`, both included; none where there is no way."""
    left = path_lengths(graph, end)
    if start not in left:
        return ()
    readers: dict[Node, list[Node]] = {}
    for node, reads in graph.items():
        for read in reads:
            readers.setdefault(read, []).append(node)
    way = [start]
    while way[-1] != end:
        way.append(next(node for node in readers[way[-1]] if left.get(node) == left[way[-1]] - 1))
    return tuple(way)


def schedule(graph: Wiring) -> dict[Node, int]:
    """The step at which each vector can be computed at the earliest, were there a processor for each: 0 for inputs."""
    step: dict[Node, int] = {}
    for node, reads in graph.items():  # a node stands after all that it reads
        step[node] = 1 + max(step[read] for read in reads) if reads else 0
    return step


def sequential_steps(model: CausalModel, n: int) -> int:
    """Steps that must wait for one another, however many processors there are: the longest chain of the graph."""
    return max(schedule(wiring(model, n)).values())
