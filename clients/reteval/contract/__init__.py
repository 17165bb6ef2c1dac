"""What crosses a process border: wire structs, enums and bounds by topic; stdlib and msgspec."""
