"""Tables, engine and the unit of work. Only this package sees tables; the only commit is in `unit`."""
