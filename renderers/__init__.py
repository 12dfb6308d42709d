"""Pure functions that turn a turn into what one channel shows. No I/O."""
