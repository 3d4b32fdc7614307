"""Modules joined to one script, on a small folder of them."""

from pathlib import Path

import pytest

from viz_model.figures.view_source import joined, with_template


def write(folder: Path, **sources: str) -> None:
    for name, source in sources.items():
        (folder / f"{name}.js").write_text(source, encoding="utf-8")


def test_each_module_stands_once_before_whatever_imports_from_it(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    write(tmp_path, entry='import { a } from "./a.js";\nimport { b } from "./other/b.js";\nuse(a, b);\n')
    write(tmp_path, a='import {\n  b,\n  c,\n} from "./other/b.js";\nconst a = b + c;\n')
    write(tmp_path / "other", b="const b = 1, c = 2;\n")
    source = joined(tmp_path / "entry.js")
    assert [line for line in source.splitlines() if line] == ["const b = 1, c = 2;", "const a = b + c;", "use(a, b);"]


def test_modules_that_import_each_other_in_a_circle_are_refused(tmp_path: Path) -> None:
    write(tmp_path, a='import { b } from "./b.js";\n', b='import { a } from "./a.js";\n')
    with pytest.raises(ValueError, match=r"a\.js -> b\.js"):
        joined(tmp_path / "a.js")


def test_a_template_cannot_end_the_script_that_holds_it() -> None:
    made = with_template("code();", "<script></script><!-- -->")
    assert "</script" not in made
    assert "<!--" not in made
