// Small faults, spread over all modules: a wrong border, a dropped await, a swapped field, a removed check. Each replaces
// text that occurs once in its file. test/planted-faults.test.ts checks that, so that a change of the code mends its fault.

export const FAULTS = [
  // Kernels and inflate.
  {
    name: 'a run of equal values takes values of the packed part before it',
    file: 'src/format/columns/assembly/encodings.ts',
    from: 'runStart += (8 - ((runStart - packedFrom) & 7)) & 7;',
    to: 'runStart += (8 - ((runStart - packedFrom) & 7)) & 3;',
  },
  {
    name: 'a decimal above 2^53 counts as exact',
    file: 'src/format/columns/assembly/numbers.ts',
    from: 'const MAX_EXACT: u64 = 9007199254740991;',
    to: 'const MAX_EXACT: u64 = 90071992547409919;',
  },
  {
    name: 'differences of integers are one bit too narrow',
    file: 'src/format/columns/assembly/encodings.ts',
    from: 'const width = 64 - <i32>clz(subtractMinimum(miniblock, minimum));',
    to: 'const width = 63 - <i32>clz(subtractMinimum(miniblock, minimum));',
  },
  {
    name: 'the checksum of an inflated text is not compared',
    file: 'src/gzip/inflate/inflated-text.ts',
    from: 'if (crc !== this.#crc || bytes !== this.#length % 2 ** 32) this.refuse();',
    to: 'if (crc < 0 || bytes !== this.#length % 2 ** 32) this.refuse();',
  },
  {
    name: 'bytes are folded to the wrong place',
    file: 'src/gzip/assembly/crc-fold.ts',
    from: 'const SECOND: usize = 2181;',
    to: 'const SECOND: usize = 2180;',
  },
  // Manifest and lock.
  {
    name: 'a record of conversions without their day file counts as forgotten',
    file: 'src/store/manifest/manifest-line.ts',
    from: 'return dropped === true && !conversions?.length;',
    to: 'return dropped === true && conversions !== null;',
  },
  {
    name: 'lines go on after a line that a crash cut off',
    file: 'src/store/folder/folder-manifest.ts',
    from: 'Buffer.from(last[0] === LF ? lines',
    to: 'Buffer.from(last[0] !== 0 ? lines',
  },
  {
    name: 'a lock of another host counts as one of this host',
    file: 'src/store/lock/lock-holder.ts',
    from: 'if (holderHost !== host) return undefined;',
    to: "if (holderHost === '' && host === '') return undefined;",
  },
  // Resume and retry.
  {
    name: 'the rest of another content is taken for the rest of the part',
    file: 'src/service/request-day-file.ts',
    from: "(headers['etag'] === undefined || headers['etag'] === etag)",
    to: "(headers['etag'] === undefined || etag !== undefined)",
  },
  {
    name: 'one retry too few',
    file: 'src/http/retry-policy.ts',
    from: 'if (failedAttempts > Math.min(retries, maxRetries)) throw cause;',
    to: 'if (failedAttempts >= Math.min(retries, maxRetries)) throw cause;',
  },
  {
    name: "the service's Retry-After is not waited for",
    file: 'src/http/retry-policy.ts',
    from: 'Math.max(cause.retryAfterMs ?? 0, retryDelayMs',
    to: 'Math.min(cause.retryAfterMs ?? 0, retryDelayMs',
  },
  // Server.
  {
    name: 'one client more than the limit',
    file: 'src/server/client-limits.ts',
    from: 'if (clients >= max) return false;',
    to: 'if (clients > max) return false;',
  },
  {
    name: 'a page of another port of this host counts as the own one',
    file: 'src/server/http-endpoints/origin-guard.ts',
    from: '(requestedPort === pagePort ||',
    to: '(requestedPort !== pagePort ||',
  },
  {
    name: 'a frame of 65,535 bytes has the head of a longer one',
    file: 'src/server/socket/socket-client.ts',
    from: 'if (size < 0x1_0000) {',
    to: 'if (size < 0xffff) {',
  },
  // The rest.
  {
    name: 'a trade at the end of a bar belongs to it',
    file: 'src/market/trade-bars.ts',
    from: 'if (this.trades > 0 && ms >= this.#end)',
    to: 'if (this.trades > 0 && ms > this.#end)',
  },
  {
    name: 'the buyers’ volume is counted as the sellers’',
    file: 'src/market/trade-bars.ts',
    from: 'if (side === TRADE_SIDE.buy) this.buyVolume += amount;',
    to: 'if (side === TRADE_SIDE.buy) this.sellVolume += amount;',
  },
  {
    name: 'a snapshot of a book does not replace the bids',
    file: 'src/market/order-book.ts',
    from: 'fillSide(this.bids, this.#bidChanges);',
    to: 'applyChanges(this.bids, this.#bidChanges);',
  },
  {
    name: 'a period without rows at the start of the day is no gap',
    file: 'src/audit/checks/stretches.ts',
    from: 'this.#clock = file.dayStart;',
    to: 'this.#clock = file.dayStart + US_PER_DAY;',
  },
  {
    name: 'an output of a changed export counts as the recorded one',
    file: 'src/export/export-log.ts',
    from: 'return sha256 === recorded.sha256 ?',
    to: 'return sha256.length === recorded.sha256.length ?',
  },
  {
    name: 'the removal of a lock is not awaited',
    file: 'src/store/lock/exclusive-file.ts',
    from: 'if (await takeIfSame(handle, path, aside)) await rm(aside, { force: true });',
    to: 'if (await takeIfSame(handle, path, aside)) void rm(aside, { force: true });',
  },
];
