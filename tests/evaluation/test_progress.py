"""The progress bar appears on a terminal only."""

from __future__ import annotations

import pytest

from bg_env.evaluation import progress
from bg_env.evaluation.progress import ProgressBar


def test_without_a_terminal_nothing_is_written(capsys):
    with ProgressBar() as bar:
        report = bar.task("first against last")
        report(10, 100)
        report(100, 100)
    assert capsys.readouterr() == ("", "")


def test_colour_forced_on_still_writes_no_bar_into_a_file(capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    with ProgressBar() as bar:
        bar.task("first against last")(10, 100)
    assert capsys.readouterr() == ("", "")


def test_on_a_terminal_it_shows_name_count_and_never_markup(capsys, monkeypatch):
    monkeypatch.setattr(progress, "is_terminal", lambda: True)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "100")
    with ProgressBar() as bar:
        bar.task("td:[bold] against last")(1234, 5000)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "td:[bold] against last" in shown.err
    assert "1,234/5,000" in shown.err


def test_an_error_inside_comes_through():
    bar = ProgressBar()
    with pytest.raises(KeyError), bar:
        raise KeyError("x")
