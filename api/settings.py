"""Every setting, once. Environment variables `RIDEPASS_*`, or `.env` in the working directory."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """What an operator can set. Read once, in wiring and the command line."""

    model_config = SettingsConfigDict(
        env_prefix="RIDEPASS_",
        env_file=".env",
        env_file_encoding="utf-8",
        extra="ignore",
        use_attribute_docstrings=True,
    )

    data_dir: Path = Path(".ridepass")
    """Where the embedded database and Valkey keep their files, and the server's secret key."""
    database_url: str = ""
    """`postgresql://...` in production; empty for SQLite in the data directory."""
    redis_url: str = ""
    """`redis://`, `rediss://` or `unix://`; empty starts an embedded Valkey in the data directory."""
    redis_cluster: bool = False
    """The Redis address is a cluster."""
    passport_ttl_hours: float = Field(default=6.0, gt=0, le=24 * 30)
    """How long a silent conversation is remembered. After that it starts afresh; nothing booked is lost."""
    allowed_origins: str = ""
    """Sites that may carry the widget, separated by commas: `https://shop.example,https://www.shop.example`.
    Our own pages need no entry."""
    company: str = "coral-rentals"
    """Slug of the company that the demo page and the terminal talk to."""
    seed_demo: bool = True
    """Load the demo companies into an empty database at the start. Turn off in production."""
    now: str = ""
    """A clock that stands still, for demos and tests: `2027-05-31T15:30` (in `now_zone`) or with an offset."""
    now_zone: str = "Asia/Makassar"
    """Zone of `now` when it has no offset."""
    secret_key: SecretStr = SecretStr("")
    """Derives idempotency keys and the agent's own tokens, seals passports. Empty makes one in the data directory.
    All processes of one installation need the same."""
    model: str = ""
    """Name of a chat model; empty keeps the offline interpreter."""
    model_base_url: str = ""
    """Address of an OpenAI-compatible server; empty is the vendor's own."""
    model_api_key: SecretStr = SecretStr("")
    """Key for that server."""
    model_timeout_seconds: float = Field(default=8.0, gt=0, le=60)
    """After that the offline interpreter answers."""
    crm_url: str = ""
    """Address of a business API elsewhere (`https://.../api/mcp/`); empty calls our own in process."""
    crm_token: SecretStr = SecretStr("")
    """Bot token for that address."""
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"
    """How much is logged. Personal data and secrets are not, at any level."""

    @property
    def origins(self) -> list[str]:
        """The allowed sites as browsers name them."""
        return [origin.strip().rstrip("/") for origin in self.allowed_origins.split(",") if origin.strip()]

    @property
    def sql_url(self) -> str:
        """The database address that is in force."""
        return self.database_url or f"sqlite:///{self.data_dir.absolute() / 'ridepass.db'}"
