"""Tables kept between programs: whole or built anew, by one program at a time."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from filelock import FileLock
from support import clean_environment

from bg_env import _files

LAYOUT = {"a": ((3, 2), "float32"), "b": ((4,), "int64")}

SLOW_BUILDER = """
import sys, time
import numpy as np
from bg_env import _files

def build():
    with open(sys.argv[1], "a") as file:
        file.write("built\\n")
    time.sleep(1)
    return {"b": np.arange(4)}

arrays = _files.kept_arrays("table", {"b": ((4,), "int64")}, build)
print(arrays["b"].sum())
"""


class Builder:
    """Counts how often it builds."""

    def __init__(self):
        self.times = 0

    def __call__(self):
        self.times += 1
        return {
            "a": np.full((3, 2), 0.5, np.float32),
            "b": np.arange(4, dtype=np.int64),
        }


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A cache folder that is not there yet."""
    place = tmp_path / "deep" / "cache"
    monkeypatch.setenv(_files.CACHE_VARIABLE, str(place))
    return place


def ask(build):
    """The arrays, checked."""
    arrays = _files.kept_arrays("table", LAYOUT, build)
    assert (arrays["a"] == 0.5).all()
    assert arrays["b"].tolist() == [0, 1, 2, 3]


def test_arrays_are_built_once_and_then_read(folder):
    build = Builder()
    for _ in range(3):
        ask(build)
    assert build.times == 1
    assert {path.name for path in folder.iterdir()} - {"table.lock"} == {"table.npz"}


def damage_a_byte(path):
    content = bytearray(path.read_bytes())
    place = content.index(np.float32(0.5).tobytes() * 6)
    content[place] ^= 1
    path.write_bytes(content)


def cut_short(path):
    path.write_bytes(path.read_bytes()[:200])


def make_empty(path):
    path.write_bytes(b"")


def write_text(path):
    path.write_text("no archive")


def store_another_shape(path):
    with path.open("wb") as file:
        np.savez(file, a=np.zeros((2, 2), np.float32), b=np.arange(4))


def store_another_type(path):
    with path.open("wb") as file:
        np.savez(file, a=np.zeros((3, 2)), b=np.arange(4))


def store_less(path):
    with path.open("wb") as file:
        np.savez(file, b=np.arange(4))


def store_objects(path):
    with path.open("wb") as file:
        np.savez(file, a=np.array([{}], object), b=np.arange(4))


def store_one_array(path):
    with path.open("wb") as file:
        np.save(file, np.arange(4))


@pytest.mark.parametrize(
    "harm",
    [
        damage_a_byte,
        cut_short,
        make_empty,
        write_text,
        store_another_shape,
        store_another_type,
        store_less,
        store_objects,
        store_one_array,
    ],
)
def test_a_file_that_is_not_right_is_built_anew(folder, harm):
    build = Builder()
    ask(build)
    harm(folder / "table.npz")
    ask(build)
    ask(build)
    assert build.times == 2


def test_where_no_folder_can_be_made_arrays_are_built(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv(_files.CACHE_VARIABLE, str(tmp_path / "file" / "cache"))
    build = Builder()
    ask(build)
    ask(build)
    assert build.times == 2


def test_a_folder_that_cannot_be_written_to_can_be_read(folder, monkeypatch):
    build = Builder()
    ask(build)
    (folder / "table.lock").unlink(missing_ok=True)
    folder.chmod(0o500)
    ask(build)
    folder.chmod(0o700)
    assert build.times == 1


def test_a_full_disk_costs_only_time(folder, monkeypatch):
    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(_files.os, "replace", fail)
    build = Builder()
    ask(build)
    ask(build)
    assert build.times == 2
    assert not list(folder.glob("*.npz"))
    assert not list(folder.glob(".*.tmp"))


def test_nobody_waits_for_ever_for_another_builder(folder, monkeypatch):
    monkeypatch.setattr(_files, "_PATIENCE", 0.05)
    folder.mkdir(parents=True)
    build = Builder()
    with FileLock(str(folder / "table.lock")):
        ask(build)
    assert build.times == 1


def test_of_two_programs_one_builds_and_the_other_waits(folder, tmp_path):
    log = tmp_path / "log"
    command = [sys.executable, "-c", SLOW_BUILDER, str(log)]
    both = [
        subprocess.Popen(command, env=clean_environment(), stdout=subprocess.PIPE)
        for _ in range(2)
    ]
    assert [one.communicate(timeout=120)[0].strip() for one in both] == [b"6", b"6"]
    assert log.read_text() == "built\n"


def test_the_cache_folder_is_the_one_named_or_the_systems(monkeypatch, tmp_path):
    monkeypatch.setenv(_files.CACHE_VARIABLE, str(tmp_path / "own"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "shared"))
    assert _files.cache_folder() == tmp_path / "own"
    monkeypatch.setenv(_files.CACHE_VARIABLE, "")
    assert _files.cache_folder() == tmp_path / "shared" / "bg_env"
    monkeypatch.setenv("XDG_CACHE_HOME", "not/absolute")
    assert _files.cache_folder().is_absolute()
    assert _files.cache_folder().name == "bg_env"


def test_without_a_home_there_is_no_cache_folder(monkeypatch):
    def homeless():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv(_files.CACHE_VARIABLE, raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(_files.sys, "platform", "linux")
    monkeypatch.setattr(Path, "home", homeless)
    assert _files.cache_folder() is None
    build = Builder()
    ask(build)
    ask(build)
    assert build.times == 2
