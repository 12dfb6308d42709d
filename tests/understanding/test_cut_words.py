"""What the lexicon lists is found again where nobody types a space: dictionary and patterns agree."""

from __future__ import annotations

import re
import re._parser as regular  # type: ignore[import-untyped]
from collections.abc import Iterator
from typing import Any

import pytest

from graph.understanding.lexicon import Lexicon, join_patterns, load_lexicon, whole_words
from graph.understanding.segments import Segmenter
from graph.understanding.text import fold

PATTERN_LISTS = ("vehicles", "references")
WORD_LISTS = ("answers.strong", "answers.weak", "answers.no", "vehicles.generic")
WORD_TABLES = ("vehicles.categories", "vehicles.descriptions", "vehicles.colours", "money.scales")
MOST_SAMPLES = 60


def samples(pattern: str) -> list[str]:
    """Texts that a pattern matches: each choice at least once, optional parts with and without."""
    tree = regular.parse(pattern)
    return list(dict.fromkeys(text for text in _texts(list(tree)) if text))[:MOST_SAMPLES]


def _texts(parts: list[Any]) -> list[str]:
    found = [""]
    for part in parts:
        ways = _ways(part) or [""]
        first = [text + ways[0] for text in found]
        others = [found[0] + way for way in ways[1:]]
        found = [*first, *others][: MOST_SAMPLES * 4]
    return found


def _ways(part: Any) -> list[str]:
    kind, value = str(part[0]), part[1]
    if kind == "LITERAL":
        return [chr(value)]
    if kind == "SUBPATTERN":
        return _texts(list(value[3]))
    if kind == "BRANCH":
        return [text for branch in value[1] for text in _texts(list(branch))]
    if kind in ("MAX_REPEAT", "MIN_REPEAT"):
        inner = _texts(list(value[2]))
        return inner if value[0] else [*inner, ""]
    if kind == "IN":
        return _class(value)
    return ["x"] if kind == "ANY" else [""]


def _class(value: Any) -> list[str]:
    kind, first = str(value[0][0]), value[0][1]
    if kind == "LITERAL":
        return [chr(first)]
    if kind == "RANGE":
        return [chr(first[0])]
    return {"CATEGORY_DIGIT": ["3"], "CATEGORY_SPACE": [" "]}.get(str(first), ["x"])


def patterns_of(lexicon: Lexicon) -> Iterator[tuple[str, str]]:
    for section in PATTERN_LISTS:
        for key in lexicon.sections(section):
            if key.endswith("_patterns"):
                yield from ((f"{section}.{key}", item) for item in lexicon.words(f"{section}.{key}"))
    for intent in lexicon.sections("intents"):
        yield from ((f"intents.{intent}", item) for item in lexicon.words(f"intents.{intent}.patterns"))
    for topic in lexicon.sections("topics"):
        yield from ((f"topics.{topic}", item) for item in lexicon.words(f"topics.{topic}"))


def phrases_of(lexicon: Lexicon) -> Iterator[tuple[str, str]]:
    for path in WORD_LISTS:
        yield from ((path, re.escape(item).replace(r"\ ", " ")) for item in lexicon.words(path))
    for path in WORD_TABLES:
        yield from ((path, re.escape(item).replace(r"\ ", " ")) for item in lexicon.sections(path))


def typed(text: str, particles: frozenset[str], *, spaced: bool) -> str:
    """The sample as people type it: no space between letters of the script, or particles hung on their words."""
    if not spaced:
        return re.sub(r"(?<=[^\x00-\u024f]) (?=[^\x00-\u024f])", "", text)
    words = text.split(" ")
    joined = words[:1]
    for word in words[1:]:
        if word in particles and len(joined[-1]) > 1 and not joined[-1].isascii():
            joined[-1] += word
        else:
            joined.append(word)
    return " ".join(joined)


def unread(code: str, *, cut: bool = True) -> list[str]:
    """The samples of the lexicon that are not found again in the cut text."""
    lexicon = load_lexicon(code)
    segmenter = Segmenter(lexicon)
    particles = frozenset(lexicon.words("script.particles"))
    missing = []
    for where, item in (*patterns_of(lexicon), *phrases_of(lexicon)):
        pattern = item.replace("{number}", "[0-9]").replace("{digits}", "[0-9]").replace("{ordinal}", "[0-9]")
        pattern = pattern.replace("{numeral}", "[0-9]").replace("{noun}", "[0-9]").replace("{currency}", "baht")
        pattern = re.sub(r"\(\?[=!<][^()]*\)", "", pattern)
        reading = whole_words(join_patterns([pattern]))
        for sample in samples(re.sub(r"\(\?P<\w+>", "(?:", pattern)):
            folded = fold(typed(sample.strip(), particles, spaced=lexicon.spacing == "particles"))
            text = segmenter.split(folded).text if cut else folded.text
            if "x" not in sample and not folded.text.isascii() and reading.search(text) is None:
                missing.append(f"{where}: {sample!r} typed {folded.text!r} is cut into {text!r}")
    return missing


@pytest.mark.parametrize("code", ["th", "zh", "ko"])
def test_every_pattern_finds_its_own_words_in_a_text_without_spaces(code: str) -> None:
    assert unread(code) == []


@pytest.mark.parametrize("code", ["th", "zh", "ko"])
def test_without_the_cutting_they_would_not_be_found(code: str) -> None:
    assert len(unread(code, cut=False)) > 100
