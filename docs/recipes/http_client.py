"""A period's trades over HTTP, line by line: python3 -m pip install aiohttp"""

import asyncio
import json
from datetime import datetime, timezone

import aiohttp

SERVER = "http://localhost:8000"


async def replay(options):
    # A replay has no time limit, and a line of a book can be longer than aiohttp expects.
    timeout = aiohttp.ClientTimeout(total=None)
    async with aiohttp.ClientSession(timeout=timeout, read_bufsize=16 * 1024 * 1024) as session:
        query = {"options": json.dumps(options)}
        async with session.get(f"{SERVER}/replay-normalized", params=query) as response:
            if response.status != 200:
                raise RuntimeError(f"{response.status}: {await response.text()}")
            # A truncated response raises aiohttp.ClientPayloadError.
            async for line in response.content:
                yield json.loads(line)


async def main():
    start = datetime(2024, 3, 1, tzinfo=timezone.utc)
    options = {
        "exchange": "bitmex",
        "symbols": ["XBTUSD"],
        "dataTypes": ["trade", "trade_bar_1m"],
        "from": start.isoformat(),
        "to": start.replace(hour=1).isoformat(),
    }
    async for message in replay(options):
        if message["type"] == "trade_bar":
            print(message["timestamp"], message["close"], message["volume"])


asyncio.run(main())
