"""Interpreters: offline (rules and libraries) and live (a language model), behind one protocol."""
