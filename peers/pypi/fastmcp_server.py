"""A FastMCP server of a few lines: the tests call its tools.

Without arguments it speaks over stdio; `http PORT` and `sse PORT` listen on loopback.
"""

import sys

import anyio
from fastmcp import Context, FastMCP

server = FastMCP("fastmcp-peer")
# The tests read standard output; over stdio it is the wire.
told = sys.stderr if len(sys.argv) == 1 else sys.stdout


@server.tool
def multiply(a: int, b: int) -> int:
    """Multiply two whole numbers."""
    return a * b


@server.tool
async def count(steps: int, context: Context) -> str:
    """Report as many steps of progress as asked for."""
    for step in range(1, steps + 1):
        await context.report_progress(step, steps)
    return f"counted to {steps}"


@server.tool
async def wait() -> None:
    """Wait until the call is cancelled, and tell it."""
    print("tool wait: begun", file=told, flush=True)
    try:
        await anyio.sleep_forever()
    finally:
        print("tool wait: cancelled", file=told, flush=True)


if __name__ == "__main__":
    if len(sys.argv) == 1:
        server.run(transport="stdio", show_banner=False)
    else:
        _, transport, port = sys.argv
        server.run(transport=transport, host="127.0.0.1", port=int(port), show_banner=False)
