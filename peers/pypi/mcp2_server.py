"""A server of a few lines on the official Python SDK, version 2: the tests call its one tool."""

from mcp.server import MCPServer

server = MCPServer("mcp2-peer")


@server.tool()
def add(a: int, b: int) -> int:
    """Add two whole numbers."""
    return a + b


if __name__ == "__main__":
    server.run("stdio")
