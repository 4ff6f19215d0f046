"""NautilusTrader: open a catalog, and count its data by type."""

import sys
from pathlib import Path

from nautilus_trader.model.data import Bar, OrderBookDelta, OrderBookDepth10, QuoteTick, TradeTick
from nautilus_trader.persistence.catalog import ParquetDataCatalog

catalog = ParquetDataCatalog(Path(sys.argv[1] if len(sys.argv) > 1 else "catalog").resolve())
for data_cls in (TradeTick, QuoteTick, OrderBookDelta, OrderBookDepth10, Bar):
    data = catalog.query(data_cls=data_cls)
    if data:
        print(f"{data_cls.__name__}: {len(data):,} from {data[0]}")
