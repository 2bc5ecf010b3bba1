"""A FastMCP server of a few lines: the tests call its one tool."""

from fastmcp import FastMCP

server = FastMCP("fastmcp-peer")


@server.tool
def multiply(a: int, b: int) -> int:
    """Multiply two whole numbers."""
    return a * b


if __name__ == "__main__":
    server.run(transport="stdio", show_banner=False)
