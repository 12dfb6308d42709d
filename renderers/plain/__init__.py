"""Turns as plain text."""

from renderers.plain.hints import number_actions
from renderers.plain.render import render

__all__ = ["number_actions", "render"]
