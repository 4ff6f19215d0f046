import { usageError } from '../../base/errors.js';
import { didYouMean } from '../../base/text.js';
import { seededRandom } from '../simulation/seeded-random.js';

/** Faults of responses. */
export const FAULT_KINDS = [
  /** 429 with `retry-after`. */
  'rate-limit',
  /** 429 whose message says that the account reached its data transfer limit. */
  'transfer-limit',
  /** 403: the key is in use from another IP address. */
  'ip-lock',
  '500',
  '502',
  '503',
  /** The connection is reset in the middle of the body. */
  'reset',
  /** Half of the body, then no further bytes. */
  'stall',
  /** A complete HTTP response with half of the gzip file. */
  'truncate',
  /** Half of the announced bytes, then the connection is closed. */
  'short',
  /** One bit in the middle of the body is flipped. */
  'bit-flip',
  /** `x-md5` of other content. */
  'wrong-md5',
  /** Neither Content-Length nor x-dataset-size. */
  'no-length',
  /** Headers are delayed by a second. */
  'slow-start',
  /** 200 with an HTML page. */
  'html',
  /** Bytes after the last gzip member. */
  'trailing',
  /** 200 with an empty body. */
  'empty',
  /** 200 of the metadata host with a body that is not JSON: the only fault of that host. */
  'not-json',
] as const;

export type FaultKind = (typeof FAULT_KINDS)[number];

/** Faults of the market data in a day file, whose bytes are intact: each response for the file has the same. */
export const DATA_FAULTS = [
  /** No rows for some hours. */
  'gap',
  /** Each trade of some hours occurs twice. */
  'duplicate-trades',
  /** The best bid is above the best ask for some hours. */
  'crossed-book',
  /** The whole book at the start of the day is missing. */
  'lost-snapshot',
  /** The clock of the collector is an hour slow for some hours. */
  'clock-step',
] as const;

export type DataFault = (typeof DATA_FAULTS)[number];

/** Each fault's share of the requests, or of the day files for a `DataFault`, 0 to 1. */
export type FaultShares<Kind extends string = FaultKind> = Readonly<Partial<Record<Kind, number>>>;

/**
 * Parses faults such as `rate-limit=0.1,reset=0.05`, comma-separated or repeated; a later share of a kind replaces an
 * earlier one.
 * @throws usage error for an unknown kind, a share outside 0 to 1, or shares with a sum above 1.
 */
export function parseFaults(list: readonly string[]): FaultShares<FaultKind | DataFault> {
  return parseShares(list, [...FAULT_KINDS, ...DATA_FAULTS]);
}

/** Like `parseFaults`, for any list of kinds. */
export function parseShares<Kind extends string>(
  list: readonly string[],
  kinds: readonly Kind[],
): FaultShares<Kind> {
  const shares: Partial<Record<Kind, number>> = {};
  for (const text of list.flatMap((item) => item.split(',')).filter((item) => item.trim() !== '')) {
    const [, name = '', share = ''] = /^\s*([^=]*?)\s*(?:=\s*(.*?)\s*)?$/.exec(text) ?? [];
    const kind = kinds.find((known) => known === name);
    if (kind === undefined) {
      throw usageError(
        `unknown fault "${name}"${didYouMean(name, kinds)} (valid faults: ${kinds.join(', ')})`,
      );
    }
    if (!/^(0|1|0?\.\d+|[01]\.0*)$/.test(share)) {
      throw usageError(
        `fault "${text}": use <kind>=<share> with a share from 0 to 1, for example ${kind}=0.1`,
      );
    }
    shares[kind] = Number(share);
  }
  const sum = Object.values<number | undefined>(shares).reduce<number>(
    (total, share = 0) => total + share,
    0,
  );
  if (sum > 1 + Number.EPSILON)
    throw usageError(`the fault probabilities add up to ${sum}; at most 1 is allowed`);
  return shares;
}

/** The shares of some kinds. */
export function selectShares<Kind extends string>(
  shares: FaultShares<string>,
  kinds: readonly Kind[],
): FaultShares<Kind> {
  const entries = kinds.flatMap((kind) => (shares[kind] === undefined ? [] : [[kind, shares[kind]]]));
  return Object.fromEntries(entries) as FaultShares<Kind>;
}

/** Chooses a fault, or none. @param draw a random number in [0, 1). */
export function chooseFault<Kind extends string>(
  shares: FaultShares<Kind>,
  draw: number,
  isPossible: (kind: Kind) => boolean,
): Kind | undefined {
  let rest = draw;
  for (const kind of (Object.keys(shares) as Kind[]).sort()) {
    const share = isPossible(kind) ? (shares[kind] ?? 0) : 0;
    if (rest < share) return kind;
    rest -= share;
  }
  return undefined;
}

/** Chooses the fault of each request. Each path has its own draws, so that the order of requests has no effect. */
export class FaultChooser<Kind extends string = FaultKind> {
  readonly #counts = new Map<string, { requests: number; faults: number }>();

  /** @param maxPerPath maximum number of faults per path. */
  constructor(
    readonly shares: FaultShares<Kind>,
    readonly seed: number,
    readonly maxPerPath: number,
  ) {}

  next(path: string, isPossible: (kind: Kind) => boolean): Kind | undefined {
    if (Object.keys(this.shares).length === 0) return undefined;
    const counts = this.#counts.get(path) ?? { requests: 0, faults: 0 };
    this.#counts.set(path, counts);
    if (counts.faults >= this.maxPerPath) return undefined;
    const draw = seededRandom(this.seed, 'fault', path, counts.requests++).next();
    const kind = chooseFault(this.shares, draw, isPossible);
    if (kind !== undefined) counts.faults++;
    return kind;
  }
}

/** Faults that slices share with day files. A slice has no `x-md5`, and is not a JSON document. */
type SharedFault = Exclude<FaultKind, 'wrong-md5' | 'not-json'>;
const SHARED_FAULTS = FAULT_KINDS.filter(
  (kind): kind is SharedFault => kind !== 'wrong-md5' && kind !== 'not-json',
);

/** Faults that only a slice can have. */
const SLICE_FAULTS = [
  /** No `x-slice-size`. */
  'no-slice-size',
  /** One minute less than requested; `x-slice-size` says so. */
  'short-slice',
  /** `content-encoding: br`, which the client does not accept. */
  'wrong-encoding',
  /** The header names gzip for zstd, or zstd for gzip. */
  'other-encoding',
  /** Requested before the data is complete: a valid response without lines. */
  'early',
  /** The last line is incomplete and has no LF. */
  'unterminated',
] as const;

export const FEED_FAULTS = [...SHARED_FAULTS, ...SLICE_FAULTS] as const;

export type FeedFault = (typeof FEED_FAULTS)[number];

/** The fault as one of day files; undefined if they do not have it. */
export function toDayFileFault(fault: FeedFault | undefined): FaultKind | undefined {
  return SHARED_FAULTS.find((kind) => kind === fault);
}
