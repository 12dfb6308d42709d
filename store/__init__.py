"""The business side: fleet, prices, rentals, clients, conversations, and the dialog passport."""
