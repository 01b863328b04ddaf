"""Every program explains itself: `--help` works, and its first paragraph is the file's."""

import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1]
NEEDS = {"token_rows": "transformers", "train_table": "torch", "teacher_vectors": "onnxruntime"}
PROGRAMS = sorted(path.stem for path in FOLDER.glob("*.py") if "__main__" in path.read_text(encoding="utf8"))


def test_the_programs_are_the_steps_of_the_recipe():
    recipe = (FOLDER / "README.md").read_text(encoding="utf8")
    assert len(PROGRAMS) == 8
    assert [name for name in PROGRAMS if f"`{name}.py`" not in recipe] == []


@pytest.mark.parametrize("name", PROGRAMS)
def test_help_says_what_the_step_is(name):
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    command = [sys.executable, "-B", FOLDER / f"{name}.py", "--help"]
    shown = subprocess.run(command, capture_output=True, text=True, check=True)
    first_line = (FOLDER / f"{name}.py").read_text(encoding="utf8").splitlines()[0].strip('"')
    assert first_line.startswith("Step ") and first_line in shown.stdout
