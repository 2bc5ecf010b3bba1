"""A server of a few lines on the official Python SDK, version 2: the tests call its tools.

Without arguments it speaks over stdio; `stateful PORT` and `stateless PORT` listen on loopback.
"""

import sys

import anyio
from mcp.server import MCPServer
from mcp.server.mcpserver import Context

server = MCPServer("mcp2-peer")
# The tests read standard output; over stdio it is the wire.
told = sys.stderr if len(sys.argv) == 1 else sys.stdout


@server.tool()
def add(a: int, b: int) -> int:
    """Add two whole numbers."""
    return a + b


@server.tool()
async def count(steps: int, context: Context) -> str:
    """Report as many steps of progress as asked for."""
    for step in range(1, steps + 1):
        await context.report_progress(step, steps)
    return f"counted to {steps}"


@server.tool()
async def wait() -> None:
    """Wait until the call is cancelled, and tell it."""
    print("tool wait: begun", file=told, flush=True)
    try:
        await anyio.sleep_forever()
    finally:
        print("tool wait: cancelled", file=told, flush=True)


if __name__ == "__main__":
    if len(sys.argv) == 1:
        server.run("stdio")
    else:
        _, form, port = sys.argv
        server.run("streamable-http", port=int(port), stateless_http=form == "stateless")
