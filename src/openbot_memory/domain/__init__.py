"""The rules of learned memory: pure, without I/O, clock or identifiers of its own."""
