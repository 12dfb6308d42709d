"""Dialogue policy: from an understanding to what is said and which steps follow. Pure."""
