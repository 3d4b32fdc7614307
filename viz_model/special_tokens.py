"""The tokens that are no part of a text: unknown, padding, begin, end, mask."""

from dataclasses import dataclass
from typing import Self

ROLES = ("unknown", "pad", "begin", "end", "mask")


@dataclass(frozen=True, slots=True)
class SpecialIds:
    """The ids of the special tokens, None where the tokenizer has none."""

    unknown: int | None
    pad: int | None
    begin: int | None
    end: int | None
    mask: int | None


@dataclass(frozen=True, slots=True)
class Specials:
    """Names of the special tokens (None: there is none) and which of them `Tokenizer.encode` adds around a text.

    They take the first ids, in the order of the fields. ValueError for two equal names, names shorter than two
    characters or with white space in them, and for adding a token that has no name.
    """

    unknown: str | None = "[UNK]"
    pad: str | None = "[PAD]"
    begin: str | None = "[BOS]"
    end: str | None = "[EOS]"
    mask: str | None = None
    add_begin: bool = True
    add_end: bool = False

    @classmethod
    def causal(cls) -> Self:
        """For a model that reads from left to right: [BOS] in front; [EOS] is known but not added."""
        return cls()

    @classmethod
    def masked(cls) -> Self:
        """For a masked-word model (Devlin et al., 2019): [CLS] in front, [SEP] behind, and [MASK]."""
        return cls(begin="[CLS]", end="[SEP]", mask="[MASK]", add_end=True)

    def __post_init__(self) -> None:
        for name in self.names:
            if not isinstance(name, str) or len(name) < 2 or any(char.isspace() or char == "\0" for char in name):
                raise ValueError(f"expected a special token's name of 2 or more characters, no spaces, got {name!r}")
        if len(set(self.names)) < len(self.names):
            raise ValueError(f"expected special tokens of different names, got {', '.join(self.names)}")
        for role in ("begin", "end"):
            if not isinstance(getattr(self, f"add_{role}"), bool):
                raise ValueError(f"expected add_{role} to be True or False, got {getattr(self, f'add_{role}')!r}")
            if getattr(self, f"add_{role}") and getattr(self, role) is None:
                raise ValueError(f"expected a name for the {role} token, since add_{role} is on, got None")

    @property
    def names(self) -> tuple[str, ...]:
        """The names that there are, by id."""
        return tuple(name for role in ROLES if (name := getattr(self, role)) is not None)

    @property
    def ids(self) -> SpecialIds:
        """The ids that these names have in every vocabulary."""
        by_name = {name: index for index, name in enumerate(self.names)}
        return SpecialIds(*(by_name.get(getattr(self, role)) for role in ROLES))

    def role(self, name: str) -> str:
        """'unknown', 'pad', 'begin', 'end' or 'mask'; ValueError for a name that is none of these tokens."""
        for role in ROLES:
            if getattr(self, role) == name:
                return role
        raise ValueError(f"expected one of {', '.join(self.names)}, got {name!r}")
