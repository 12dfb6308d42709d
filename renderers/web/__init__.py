"""The web screen: the widget, its bundle and the demo page."""
