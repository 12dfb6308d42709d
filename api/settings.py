"""Every setting, once. Environment variables `RIDEPASS_*`, or `.env` in the working directory."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


class ModelSettings(BaseModel):
    """One model to fall back to."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    model: str = Field(min_length=1)
    base_url: str = ""
    api_key: SecretStr = SecretStr("")
    timeout_seconds: float = Field(default=8.0, gt=0, le=60)
    price_input: Decimal = Field(default=Decimal(0), ge=0)
    """Of a million tokens."""
    price_output: Decimal = Field(default=Decimal(0), ge=0)
    calls_per_minute: int = Field(default=0, ge=0)


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
    """After that the next model is asked, else the offline interpreter answers."""
    model_turn_seconds: float = Field(default=12.0, gt=0, le=18)
    """For all tries of one message, over all models."""
    model_fallbacks: list[ModelSettings] = []
    """Models to ask when the first one fails, as JSON: `[{"model": "...", "base_url": "...", "api_key": "..."}]`."""
    model_price_input: Decimal = Field(default=Decimal(0), ge=0)
    """Price of a million input tokens, in any one currency; for the cost log and the budget in money."""
    model_price_output: Decimal = Field(default=Decimal(0), ge=0)
    """Price of a million output tokens."""
    model_calls_per_minute: int = Field(default=0, ge=0)
    """Of one process to the first model; 0 is no limit."""
    model_conversation_tokens: int = Field(default=150_000, ge=0)
    """What one conversation may use in a day; then the offline interpreter answers. 0 is no limit."""
    model_company_day_tokens: int = Field(default=5_000_000, ge=0)
    """What the chats of one company may use in a day. 0 is no limit."""
    model_company_day_cost: Decimal = Field(default=Decimal(0), ge=0)
    """What they may cost in a day, in the currency of the prices. 0 is no limit."""
    embeddings: str = ""
    """Search of vehicles by description and a second opinion on unclear messages: `local` for the encoder of the extra
    `semantic`, or the name of an embedding model at `embeddings_base_url`. Empty is off."""
    embeddings_base_url: str = ""
    """Address of an OpenAI-compatible server for it; empty takes the address of the model."""
    embeddings_api_key: SecretStr = SecretStr("")
    """Key for that server; empty takes the key of the model."""
    crm_url: str = ""
    """Address of a business API elsewhere (`https://.../api/mcp/`, or `https://.../mcp` for the protocol); empty calls
    our own in process."""
    crm_transport: Literal["rest", "mcp"] = "rest"
    """How it is spoken to: `rest`, or `mcp` for the Model Context Protocol."""
    crm_token: SecretStr = SecretStr("")
    """Bot token for that address."""
    crm_deadline_seconds: float = Field(default=3.0, gt=0, le=15)
    """How long one call of the business API may take, repeats included. After that the chat says that nobody knows."""
    strict_grounding: bool = False
    """For development: a reply that claims what no fact backs is an error, instead of being cut."""
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
