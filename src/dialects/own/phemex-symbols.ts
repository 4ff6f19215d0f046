// Names of coins and markets: cspell:ignoreRegExp /\b[Ssuc]?[A-Z0-9]{3,}\b/g

/**
 * Perpetuals of Phemex whose name begins with S, by coin (Phemex API, Products). Spot markets have a small s
 * before the name of the pair: `sOLUSDT` is OL/USDT, `SOLUSDT` the perpetual of SOL. In upper case, as day files
 * and records have them, both can be equal, so only this list tells `SPKUSDT` (a perpetual) from `SBTCUSDT`
 * (`sBTCUSDT`, a spot market).
 */
const PERPETUAL_COINS: ReadonlySet<string> = new Set(
  (
    'S SAFE SAGA SAHARA SAMSUNG SAND SANTOS SAPIEN SAROS SCA SCR SCRT SEI SENT SERAPH SFP SHELL SIGN SIREN SKATE ' +
    'SKHY SKHYNIX SKL SKR SKY SKYAI SLERF SLP SLPU SLX SMCI SNDK SNT SNX SOL SOLAMI SOLV SOMI SONIC SONY SOON ' +
    'SOPH SOXL SP500 SPACE SPACEX SPCX SPELL SPK SPORTFUN SPX SPX500 SPYX SQD SQQQ SRM SSV STABLE STAR STBL ' +
    'STEEM STG STICKMAN STMX STO STORJ STPT STR STRAX STRC STRK STX STXX SUI SUN SUNDOG SUPER SUSHI SWARMS SWELL ' +
    'SXP SXT SYN SYRUP SYS'
  ).split(' '),
);

/** Perpetuals named in USD that had the channels of contracts in USDT, in 2025. */
const PILOT_PERPETUALS: ReadonlySet<string> = new Set(
  (
    'ANGLERFISH BNBCARD BNBXBT BUTTCOIN CRYPTOAI CTD DOGEAI FULLSEND GHIBLI GREED3 IMG MCPOS PAIN PERRY SIREN ' +
    'TITCOIN TOLY WILDNOUT'
  )
    .split(' ')
    .map((coin) => `${coin}PUSD`),
);

/** `BTCUSD`, `SOLUSDT`, `SOLUSDC`. */
const PAIR = /^(.+)USD[TC]?$/;

/** The exchange's name of a symbol that may be in upper case; mixed-case names are the exchange's. */
export function toPhemexSymbol(symbol: string): string {
  if (PILOT_PERPETUALS.has(symbol)) return symbol;
  if (/^U100/.test(symbol) || symbol === 'CETHUSD') return lowerFirst(symbol);
  return symbol.startsWith('S') && !isFuture(symbol) && !isPerpetualOfS(symbol) ? lowerFirst(symbol) : symbol;
}

/** Whether contracts of the name have the channels with decimals. @param symbol the exchange's name. */
export function isLinearPerpetual(symbol: string): boolean {
  const isSpot = symbol.startsWith('s');
  return PILOT_PERPETUALS.has(symbol) || (!isSpot && !isFuture(symbol) && /USD[TC]$/.test(symbol));
}

/** Whether the spot market's name in upper case is that of a perpetual: its messages would be confused. */
export function hasSpotNameOfPerpetual(symbol: string): boolean {
  return symbol.startsWith('s') && isPerpetualOfS(symbol.toUpperCase());
}

function isPerpetualOfS(symbol: string): boolean {
  return PERPETUAL_COINS.has(PAIR.exec(symbol)?.[1] ?? '');
}

/** `BTCUSDH25` has a month and a year. */
function isFuture(symbol: string): boolean {
  return /\d$/.test(symbol);
}

function lowerFirst(symbol: string): string {
  return symbol.charAt(0).toLowerCase() + symbol.slice(1);
}
