"""The only place that talks to a language model."""
