"""The tool gateway: wire models, the catalogue of tools, the transport seam, and the policy above it."""
