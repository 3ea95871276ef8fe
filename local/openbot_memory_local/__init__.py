"""The local stack and its command line; never deployed."""
