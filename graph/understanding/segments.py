"""Spaces where a script writes none, so that all readers may look for whole words.

A lexicon says in `[script]` how its language spaces words:

* `spacing = "spaces"` (also when the section is missing): nothing is cut.
* `spacing = "none"` (Thai, Chinese): a run of letters is cut into the words of the lexicon; what the lexicon
  does not know stays in one piece (names, places).
* `spacing = "particles"` (Korean): words are spaced, but particles hang on them: a known stem is cut off its
  particles and counters.

Where digits or Latin letters touch letters of the script, they are cut apart in both. `respelt` gives Latin
spellings of foreign names ("ฮอนด้า" = "honda"), because brands and models are known by those.

The dictionary are the runs of letters in the lexicon, without those made of others (`cutting`): a phrase or pattern may
be written with or without spaces between its words. For "particles" every run is a word, and phrases are written cut.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from graph.understanding.cutting import MIN_STEM_LETTERS, Cut, Dictionary, cheapest_cut, glued_cut, is_other, run_spans
from graph.understanding.lexicon import Lexicon
from graph.understanding.text import Folded

_LONGEST_WORD: Final = 24
_LOOK_BACK_LETTERS: Final = 60


class Segmenter:
    """Cuts texts of one language into the words of its lexicon; keeps the way back to the typed letters."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._spacing = lexicon.spacing
        self._respelt = lexicon.mapping("script.respelt")
        self._dictionary = lexicon.dictionary
        self._last_known: tuple[tuple[str, ...], Dictionary] = ((), lexicon.dictionary)
        self._particles = Dictionary(lexicon.words("script.particles"))
        self._endings = tuple(sorted(lexicon.words("script.endings"), key=len, reverse=True))
        self._name_leads = frozenset(lexicon.words("script.name_leads"))
        self._name_letters = int(lexicon.text("script.name_letters") or 0)
        self._name_words = int(lexicon.text("script.name_words") or 1)
        self._no_name = lexicon.words("script.no_name")

    def split(self, folded: Folded, keep: Iterable[str] = ()) -> Folded:
        """The same text with words apart. `keep`: words of the company (offices, models), known as well."""
        if folded.text.isascii() or (self._spacing == "spaces" and not self._respelt):
            return folded
        words = self._known(tuple(keep))
        changes: dict[int, tuple[int, int, str]] = {}
        for start, end in run_spans(folded.text):
            self._cut_run(folded.text, start, end, words, changes)
        return folded.replaced(changes.values()) if changes else folded

    def _known(self, keep: tuple[str, ...]) -> Dictionary:
        """The dictionary with the company's words; that of the last company is kept."""
        if keep != self._last_known[0]:
            more = [word for phrase in keep for word in _runs(phrase.lower())]
            self._last_known = (keep, self._dictionary.with_words(more))
        return self._last_known[1]

    def _cut_run(
        self, text: str, start: int, end: int, words: Dictionary, changes: dict[int, tuple[int, int, str]]
    ) -> None:
        """Put into `changes`, by position, what has to be rewritten so that the run stands apart and in words."""
        cuts_words = self._spacing != "spaces"
        if cuts_words and start and text[start - 1].isalnum():
            changes.setdefault(start - 1, (start - 1, start, text[start - 1] + " "))
        cuts = self._pieces(text, start, end, words) if cuts_words else [(start, end, False)]
        for left, right, _ in cuts:
            gap = cuts_words and right < len(text) and (right < end or text[right].isalnum())
            latin = self._respelt.get(text[left:right])
            if latin is not None:
                changes[left] = (left, right, latin + " " * gap)
            elif gap:
                changes[right - 1] = (right - 1, right, text[right - 1] + " ")

    def _pieces(self, text: str, start: int, end: int, words: Dictionary) -> list[Cut]:
        run = text[start:end]
        cuts = self._glued(run, words) if self._spacing == "particles" else self._unspaced(text, start, end, words)
        return [(start + left, start + right, known) for left, right, known in cuts]

    def _unspaced(self, text: str, start: int, end: int, words: Dictionary) -> list[Cut]:
        run = text[start:end]
        cuts = cheapest_cut(run, words)
        if not self._name_leads:
            return cuts
        lead_end = self._lead_end(run, cuts)
        if lead_end:
            return _whole_name(cuts, lead_end, self._name_end(run, lead_end))
        known = all(is_word for *_, is_word in cuts)
        if self._follows_lead(text, start) or (not known and self._follows_first_name(text, start)):
            return _whole_name(cuts, 0, self._name_end(run, 0))
        return cuts

    def _lead_end(self, run: str, cuts: list[Cut]) -> int:
        """Where the first words end that lead to a name; 0 where there are none with something behind them."""
        edges = {left for left, *_ in cuts}
        found = [(at, -len(lead)) for lead in self._name_leads if (at := run.find(lead)) in edges]
        ends = [at - minus for at, minus in sorted(found) if at - minus in edges]
        return ends[0] if ends else 0

    def _follows_lead(self, text: str, at: int) -> bool:
        """ "name: ..." with something between that is no letter."""
        before = text[max(0, at - _LONGEST_WORD) : at]
        lead = before.rstrip(" :")
        return len(lead) < len(before) and lead.endswith(tuple(self._name_leads))

    def _follows_first_name(self, text: str, at: int) -> bool:
        """A surname, where names have two words: what comes before is a lead and one word."""
        pieces = text[max(0, at - _LOOK_BACK_LETTERS) : at].split(" ")
        if self._name_words < 2 or len(pieces) < 2 or pieces[-1] or not _runs_only(pieces[-2]):
            return False
        glued = pieces[-2].startswith(tuple(self._name_leads)) and pieces[-2] not in self._name_leads
        return glued or (len(pieces) > 2 and pieces[-3].endswith(tuple(self._name_leads)))

    def _name_end(self, run: str, at: int) -> int:
        """Where the name ends that begins at `at`; `at` itself where no name is told."""
        end = len(run)
        while (polite := next((one for one in self._endings if run.endswith(one, at + 1, end)), None)) is not None:
            end -= len(polite)
        told = end - at <= self._name_letters and not run.startswith(self._no_name, at)
        return end if told else at

    def _glued(self, run: str, words: Dictionary) -> list[Cut]:
        """A stem and what hangs on it, and what may hang on a word that is not known."""
        *cuts, (start, end, known) = glued_cut(run, words, self._particles)
        least = start + MIN_STEM_LETTERS
        ending = "" if known else next((one for one in self._endings if run.endswith(one, least)), "")
        stem = end - len(ending)
        return [*cuts, (start, stem, known), *([(stem, end, True)] if ending else [])]


def _whole_name(cuts: list[Cut], start: int, end: int) -> list[Cut]:
    """The cuts with everything from `start` to `end` in one piece, if a cut stands at `start`."""
    if end <= start:
        return cuts
    before = [cut for cut in cuts if cut[1] <= start]
    after = [(max(left, end), right, known) for left, right, known in cuts if right > end]
    return [*before, (start, end, False), *after]


def _runs(text: str) -> Iterator[str]:
    return (text[start:end] for start, end in run_spans(text))


def _runs_only(text: str) -> bool:
    return bool(text) and all(map(is_other, text))
