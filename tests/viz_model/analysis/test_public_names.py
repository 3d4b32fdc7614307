import inspect

from viz_model import analysis


def test_all_is_sorted_complete_and_there() -> None:
    assert sorted(analysis.__all__) == analysis.__all__
    public = {
        name for name, value in vars(analysis).items() if not name.startswith("_") and not inspect.ismodule(value)
    }
    assert public == set(analysis.__all__)
    assert all(inspect.getdoc(getattr(analysis, name)) for name in analysis.__all__)
