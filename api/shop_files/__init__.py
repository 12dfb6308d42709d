"""A shop's own files: company and prices in YAML, fleet in CSV; read with the place of every fault, written back."""
