"""The chat channel: sessions, messages, taps, streams and history over HTTP."""
