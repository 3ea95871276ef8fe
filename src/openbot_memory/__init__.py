"""Learned memory for AI agents: short, sourced, keyed facts."""
