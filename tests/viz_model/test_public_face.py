"""The public face: complete, sorted, free of collisions, and light to import."""

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import viz_model as vm

ROOT = Path(vm.__file__).parent


def names_for_type_checkers(path: Path) -> set[str]:
    """What a package imports under `if TYPE_CHECKING`: the names that an editor completes."""
    guarded = [
        node
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    ]
    imports = [line for node in guarded for line in node.body if isinstance(line, ast.ImportFrom)]
    return {alias.asname or alias.name for line in imports for alias in line.names}


@pytest.mark.parametrize("name", ["viz_model", "viz_model.figures"])
def test_every_public_name_is_listed_sorted_and_there(name: str) -> None:
    package = importlib.import_module(name)
    assert list(package.__all__) == sorted(package.__all__)
    assert set(package.__all__) == names_for_type_checkers(Path(package.__file__ or ""))
    assert len(set(package.__all__)) == len(package.__all__)
    for public in package.__all__:
        assert getattr(package, public) is getattr(importlib.import_module(name), public)
    assert set(package.__all__) <= set(dir(package))
    with pytest.raises(AttributeError, match="no attribute 'no_such_name'"):
        package.no_such_name  # noqa: B018


def test_each_name_is_what_its_home_says() -> None:
    for line in ast.walk(ast.parse((ROOT / "__init__.py").read_text(encoding="utf-8"))):
        if isinstance(line, ast.ImportFrom) and (line.module or "").startswith("viz_model."):
            for alias in line.names:
                assert getattr(vm, alias.name) is getattr(importlib.import_module(line.module or ""), alias.name)


def test_no_public_name_is_a_modules_name() -> None:
    """Importing `viz_model.steps` would put the module in the place of the function."""
    modules = {path.stem for path in ROOT.glob("*.py")} | {path.parent.name for path in ROOT.glob("*/__init__.py")}
    assert modules & set(vm.__all__) == {"analysis", "figures"}
    assert {vm.analysis.__name__, vm.figures.__name__} == {"viz_model.analysis", "viz_model.figures"}


@pytest.mark.parametrize(
    ("line", "absent"),
    [
        ("import viz_model, viz_model.figures", {"torch", "plotly", "altair", "streamlit", "tokenizers"}),
        ("from viz_model import figures; figures.matrix_table; figures.csv_of_matrix", {"torch", "plotly", "altair"}),
        ("from viz_model import recipes, presets, parse_edit, read_card", {"plotly", "altair", "streamlit"}),
    ],
)
def test_imports_are_light(line: str, absent: set[str]) -> None:
    code = f"import sys\n{line}\nprint(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT.parent)
    loaded = set(run.stdout.split())
    assert "viz_model" in loaded
    assert not loaded & absent


def test_the_example_of_a_notebook() -> None:
    assert {"english-causal", "english-masked", "untrained"} <= set(vm.bundled())
    assert isinstance(vm.presets["gpt2"], vm.TransformerConfig)
    model = vm.load("english-causal")
    assert isinstance(model, vm.Decoder)
    trace = vm.run(model, "The cat sat on the mat", edits=(vm.AblateHead(layer=0, head=2),))
    assert trace.tokens == ("[BOS]", "The", "cat", "sat", "on", "the", "mat")
    assert trace.blocks[0].attention.weights[0, 2].shape == (7, 7)
    assert not trace.blocks[0].attention.heads[0, 2].any()
    direct = model(torch.tensor([model.tokenizer.encode("The cat sat on the mat").ids]))  # type: ignore[union-attr]
    assert not torch.equal(direct.logits, trace.logits)
    assert torch.equal(direct.logits, vm.run(model, "The cat sat on the mat").logits)
    shown = vm.figures.attention_heatmap(trace.blocks[0].attention.weights[0, 1], trace.tokens, trace.tokens)
    assert type(shown).__name__ == "Figure"
    titles = [step.title for step in vm.steps(model, trace, layer=0, head=1, query=2)]
    assert titles[0] == "Tokens"
    assert titles[-1] == "Join the heads"
