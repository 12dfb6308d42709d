"""The render contract: what the back end promises every screen."""
