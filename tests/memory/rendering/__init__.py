"""Cards and messages: what people see, and what hostile text cannot do."""
