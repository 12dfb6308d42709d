"""The demo page, the widget's files, and health."""
