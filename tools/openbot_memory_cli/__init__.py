"""The command line `openbot-memory`: the local stack, and tokens and dead letters on AWS as well. Never deployed."""
