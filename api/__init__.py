"""Everything that listens: HTTP, the command line, and the composition root that wires the parts."""
