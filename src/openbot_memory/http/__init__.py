"""The door for HTTP: requests in, use cases called, answers and refusals out."""
