"""Facts to words: message catalogues, dates and money per language, and the grounding check."""
