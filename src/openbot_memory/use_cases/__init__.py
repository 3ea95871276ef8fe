"""One module a use case: gather, decide, apply."""
