"""What answers a request: real providers and scripted ones."""
