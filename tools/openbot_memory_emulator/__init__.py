"""Runs the real template on this machine: build, deploy, routes, tokens, emulator process. Never deployed."""
