"""Data for the encoder: what kinds of vehicles are good for, and sentences by intent."""
