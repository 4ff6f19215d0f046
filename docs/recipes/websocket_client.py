"""Books of two exchanges in the order in which they were received: python3 -m pip install websockets"""

import asyncio
import json
from urllib.parse import quote

import websockets

SERVER = "ws://localhost:8001"


async def replay(options):
    url = f"{SERVER}/ws-replay-normalized?options={quote(json.dumps(options))}"
    # The server waits for a slow reader, and would answer our pings just as late.
    async with websockets.connect(url, max_size=None, ping_interval=None) as socket:
        async for text in socket:
            yield json.loads(text)
        # A failure (1011) raises websockets.ConnectionClosedError; 1001 means that the server ends.
        if socket.close_code != 1000:
            raise RuntimeError(f"closed early: {socket.close_code} {socket.close_reason}")


async def main():
    period = {"from": "2024-03-01", "to": "2024-03-01T01:00"}
    options = [
        {"exchange": "bitmex", "symbols": ["XBTUSD"], "dataTypes": ["quote_1m"], **period},
        {"exchange": "deribit", "symbols": ["BTC-PERPETUAL"], "dataTypes": ["quote_1m"], **period},
    ]
    async for message in replay(options):
        bid, ask = message["bids"][0], message["asks"][0]
        print(message["timestamp"], message["exchange"], bid.get("price"), ask.get("price"))


asyncio.run(main())
