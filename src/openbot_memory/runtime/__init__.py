"""What a Lambda function runs with: its environment, logger, metrics, event bus and clients."""
