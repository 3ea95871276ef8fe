"""Generates the OpenAPI document from the pydantic models, and checks traffic against it. Never deployed."""
