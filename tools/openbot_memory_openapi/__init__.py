"""The OpenAPI document: what the routes take and answer, told by the models that check it. Never deployed."""
