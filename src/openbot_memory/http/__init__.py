"""HTTP: requests become calls of use cases, and their answers and errors become responses."""
