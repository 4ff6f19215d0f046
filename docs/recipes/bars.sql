-- DuckDB: the ten perpetuals with the largest turnover of the month, and how far the price of each went.
SELECT
  symbol,
  round(sum(vwap * volume)) AS turnover,
  arg_min(open, timestamp) AS first,
  arg_max(close, timestamp) AS last,
  round(100 * (last / first - 1), 2) AS percent
FROM 'bars/*_trade_bar_1m_*.parquet'
GROUP BY symbol
ORDER BY turnover DESC
LIMIT 10;
