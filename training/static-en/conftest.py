"""Lets the tests import the programs beside them, which are scripts and not a package."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
