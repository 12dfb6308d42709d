"""After the sale: what the booking node does with rentals that exist. Tells first, changes on a confirm."""
