"""Curves as pictures: one look, the same as that of the program's plots."""

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import ludovec
import pytest
from ludovec import plots

SHARES = {"against <random>": [(0, 0.3, 0.1), (4, 0.9, 0.2), (8, 1.0, 0.05)], "alone": [(3.0, 0.5)]}


def drawn(**more):
    return plots.curves(SHARES, "a title & more", "minutes", "share", **more)


def elements(drawing, name):
    root = ElementTree.fromstring(drawing)
    return [element for element in root.iter() if element.tag.endswith("}" + name)]


def test_a_plot_has_words_filled_marks_and_text_that_can_be_read():
    drawing = drawn(level=0.25)
    words = [element.text for element in elements(drawing, "text")]
    named = ["a title & more", "minutes", "share", "against <random>", "alone", "an equal share", "100 %"]
    assert set(named) <= set(words)
    sizes = [float(size) for size in re.findall(r'font-size="([\d.]+)"', drawing)]
    assert sizes and min(sizes) >= 10
    # Three points and one, and a mark for each name of the legend.
    circles = elements(drawing, "circle")
    assert len(circles) == 6 and all(circle.get("fill") in plots.COLOURS for circle in circles)
    assert len({circle.get("fill") for circle in circles}) == 2
    width, height = (float(number) for number in ElementTree.fromstring(drawing).get("viewBox").split()[2:])
    for circle in circles:
        assert 0 < float(circle.get("cx")) < width and 0 < float(circle.get("cy")) < height
    lowest = max(float(element.get("y")) for element in elements(drawing, "text") if element.get("y"))
    assert lowest < height


def test_margins_end_at_the_frame():
    band = next(path for path in elements(drawn(), "path") if path.get("opacity"))
    heights = [float(pair.split()[1]) for pair in re.split("[MLZ]", band.get("d")) if pair]
    assert min(heights) == 44 and max(heights) <= 344


def test_the_colours_are_those_of_the_program():
    """And they are told from the paper, in both themes."""
    source = Path(__file__).parents[2] / "src" / "cli" / "plot.rs"
    listed = source.read_text().split("const COLOURS")[1].split(";", 2)[1]
    assert tuple(re.findall(r"#[0-9a-f]{6}", listed)) == plots.COLOURS

    def luminance(colour):
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        parts = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), parts)) + 0.05

    for colour in plots.COLOURS:
        assert luminance("#ffffff") / luminance(colour) >= 3
        assert luminance(colour) / luminance("#18191c") >= 3


def test_nothing_measured_is_an_empty_plot():
    assert "a title" in plots.curves({}, "a title", "x", "y")
    assert "a title" in plots.curves({"none": []}, "a title", "x", "y", share=False, top=3000)


@pytest.mark.parametrize("point", [(1,), "ab", (0, float("nan")), (-1, 0.5), (0, 0.5, -0.1), None])
def test_wrong_points_are_named(point):
    with pytest.raises(ludovec.InvalidConfig, match="two or three finite numbers"):
        plots.curves({"a": [point]}, "", "x", "y")


def test_every_plot_of_the_examples_is_made_here():
    root = Path(__file__).parents[2]
    for program in (root / "examples").rglob("*.py"):
        assert "matplotlib" not in program.read_text(), program
    for picture in ("examples/alphazero.svg", "examples/ppo_selfplay.svg"):
        assert plots._FONT in (root / picture).read_text(), f"{picture} is from an earlier program"
