"""Types that are generated, and what they are for."""

import os
from pathlib import Path

import ludovec
import ludovec.typing
from typing_source import source


def test_the_types_are_what_the_engine_says():
    file = Path(ludovec.typing.__file__)
    if os.environ.get("LUDOVEC_UPDATE"):
        file.write_text(source())
    assert file.read_text() == source(), "LUDOVEC_UPDATE=1 writes it anew"
