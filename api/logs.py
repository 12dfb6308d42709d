"""Logging without secrets and personal data."""

from __future__ import annotations

import logging
import re
from typing import Final

_SECRETS: Final = re.compile(r"(?:rpa?_[A-Za-z0-9_-]{20,}|Bearer\s+[A-Za-z0-9._-]{16,}|\d{6,12}:[A-Za-z0-9_-]{30,})")
_PHONES: Final = re.compile(r"\+\d[\d ()-]{7,}\d")


class Redactor(logging.Filter):
    """Blacks out tokens and phone numbers, whoever logs them."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Rewrite the record's text where it holds a secret."""
        text = record.getMessage()
        clean = _PHONES.sub("[phone]", _SECRETS.sub("[secret]", text))
        if clean != text:
            record.msg, record.args = clean, ()
        return True


def configure_logging(level: str) -> None:
    """Set up the root logger; libraries that log addresses with tokens are kept quiet."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)-7s %(name)s: %(message)s"))
    handler.addFilter(Redactor())
    logging.basicConfig(level=level, handlers=[handler], force=True)
    for noisy in ("httpx", "httpcore", "httpx2", "openai", "telegram", "alembic", "uvicorn.access"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
