"""Commands of other packages: found by entry points, loaded when called."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest
from command_runner import run

from bg_env.cli import _plugins

SOURCES = {
    "greeting": '''
        """Greets."""
        def greet(name: str, loud: bool = False) -> None:
            """Say hello.

            And more.
            """
            print(name.upper() if loud else name)
    ''',
    "suite": '''
        """A suite of commands."""
        import typer
        app = typer.Typer()
        helpful = typer.Typer(no_args_is_help=True, help="A helpful suite.")
        @app.command()
        def one() -> None:
            print("this is one")
        @app.command()
        def two() -> None:
            print("this is two")
    ''',
    "broken": "raise RuntimeError('half installed')",
    "strange": "thing = 7",
    "demanding": """
        from bg_env.errors import MissingExtraError
        raise MissingExtraError.of("rocket", "space")
    """,
}
POINTS = {
    "greet": "plugin_greeting:greet",
    "suite": "plugin_suite:app",
    "helpful": "plugin_suite:helpful",
    "broken": "plugin_broken:app",
    "strange": "plugin_strange:thing",
    "nothing": "plugin_strange:missing",
    "absent": "plugin_of_nobody.inner:app",
    "demanding": "plugin_demanding:app",
    "evaluate": "plugin_broken:app",
}


@pytest.fixture(autouse=True)
def installed(monkeypatch, tmp_path):
    """The commands of `POINTS` are installed."""
    for name, source in SOURCES.items():
        lines = source.splitlines()
        indent = 8 if len(lines) > 1 else 0
        text = "\n".join(line[indent:] for line in lines)
        (tmp_path / f"plugin_{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    points = [
        EntryPoint(name, value, "bg_env.commands") for name, value in POINTS.items()
    ]
    monkeypatch.setattr(_plugins, "entry_points", lambda group: points)


def test_a_function_is_a_command_with_arguments_and_options():
    assert run("greet", "Ann").stdout == "Ann\n"
    assert run("greet", "Ann", "--loud").stdout == "ANN\n"
    assert run("greet").exit_code == 2


def test_an_app_is_a_group_of_commands():
    assert run("suite", "one").stdout == "this is one\n"
    assert run("suite", "two").stdout == "this is two\n"


def test_the_help_shows_first_lines_and_imports_nothing():
    result = run("--help")
    assert result.exit_code == 0
    assert "Say hello." in result.stdout
    assert "A suite of commands." in result.stdout
    assert "A helpful suite." in result.stdout
    assert "Provided by plugin_of_nobody.inner." in result.stdout
    assert "broken" in result.stdout


def test_the_help_of_a_command_is_its_own():
    result = run("greet", "--help")
    assert "And more." in result.stdout
    assert "--loud" in result.stdout


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("broken", "RuntimeError: half installed"),
        ("strange", "neither a typer.Typer nor a function: 7"),
        ("nothing", "AttributeError"),
        ("absent", "ModuleNotFoundError"),
        ("demanding", "pip install 'bg-env[space]'"),
    ],
)
def test_a_broken_command_is_one_line_and_status_2(name, words):
    result = run(name)
    assert result.exit_code == 2
    assert words in result.stderr
    assert result.stderr.startswith("bg-env: ")
    assert result.stderr.count("\n") == 1


def test_broken_commands_leave_the_others_working():
    assert run("--version").exit_code == 0
    assert run("agents").exit_code == 0


def test_a_built_in_command_is_never_replaced():
    result = run("evaluate", "nobody", "random")
    assert "Unknown agent 'nobody'" in result.stderr
