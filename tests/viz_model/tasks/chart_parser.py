"""A second parser for the tests, made another way: a bottom-up chart that counts derivations."""

from collections import defaultdict
from functools import cache

from viz_model.tasks import english


@cache
def binary_rules() -> tuple[
    dict[str, list[tuple[str, float]]], dict[tuple[str, str], list[tuple[str, float]]], list[str]
]:
    """The grammar in two-part rules for the chart: unary rules by child, binary by children, symbols bottom up."""
    unary: defaultdict[str, list[tuple[str, float]]] = defaultdict(list)
    binary: defaultdict[tuple[str, str], list[tuple[str, float]]] = defaultdict(list)
    for left, rules in english.GRAMMAR.rules.items():
        for rule in rules:
            parts, share, name = rule.right, rule.probability, left
            while len(parts) > 2:
                rest = "+".join(parts[1:])
                binary[parts[0], rest].append((name, share))
                parts, share, name = parts[1:], 1.0, rest
            (unary[parts[0]] if len(parts) == 1 else binary[parts[0], parts[1]]).append((name, share))
    order: list[str] = []

    def visit(symbol: str) -> None:
        if symbol not in order:
            for above, _ in unary.get(symbol, ()):
                visit(above)
            order.append(symbol)

    for symbol in list(unary):
        visit(symbol)
    return unary, {children: list(dict.fromkeys(above)) for children, above in binary.items()}, order[::-1]


def chart(words: list[str]) -> tuple[int, float]:
    """Counts the derivations and sums their probabilities with a bottom-up chart (Cocke, Younger, Kasami)."""
    unary, binary, order = binary_rules()
    cells: dict[tuple[int, int], dict[str, tuple[int, float]]] = {}
    for length in range(1, len(words) + 1):
        for begin in range(len(words) - length + 1):
            cell: defaultdict[str, tuple[int, float]] = defaultdict(lambda: (0, 0.0))

            def add(symbol: str, count: int, share: float, cell: dict[str, tuple[int, float]] = cell) -> None:
                cell[symbol] = (cell[symbol][0] + count, cell[symbol][1] + share)

            if length == 1:
                add(words[begin], 1, 1.0)
            for middle in range(begin + 1, begin + length):
                right = cells[middle, begin + length]
                for one, (n_one, p_one) in cells[begin, middle].items():
                    for two, (n_two, p_two) in right.items():
                        for left, share in binary.get((one, two), ()):
                            add(left, n_one * n_two, p_one * p_two * share)
            for symbol in order:
                if symbol in cell:
                    for left, share in unary[symbol]:
                        add(left, cell[symbol][0], cell[symbol][1] * share)
            cells[begin, begin + length] = dict(cell)
    return cells[0, len(words)].get("Sentence", (0, 0.0))
