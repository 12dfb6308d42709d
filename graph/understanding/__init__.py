"""Text to typed meaning with confidence. Pure: no network, no clock of its own."""
