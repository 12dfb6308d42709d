"""Pure rules: money, periods, pricing, alternatives, matching, identity. No I/O."""
