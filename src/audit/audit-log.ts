import { TickhaulError } from '../base/errors.js';
import type { Destination } from '../store/destination.js';
import { LineStore } from '../store/manifest/line-store.js';
import { type AuditRecord, type CheckThresholds, DEFAULT_THRESHOLDS } from './audit-record.js';
import { formatRecordLine, parseRecordLine, parseShortRecord } from './record-line.js';

const STATE_NAME = 'audit.jsonl';

/** Shortest time between two writes during a run. */
const MIN_WRITE_INTERVAL_MS = 10_000;
/** Share of the log that must be new before it is written again during a run. */
const MIN_NEW_SHARE = 0.1;

/**
 * The results of audits of a download folder, `.tickhaul/audit.jsonl` (docs/spec/manifest.md#audit-log): one record per
 * file and thresholds. It is written as a whole; records that other runs added meanwhile are kept.
 */
export class AuditLog {
  readonly #destination: Destination;
  readonly #known: LineStore;
  readonly #added = new LineStore();
  #unwritten = 0;
  #writtenAtMs = performance.now();
  #writing: Promise<void> = Promise.resolve();

  private constructor(destination: Destination, known: LineStore) {
    this.#destination = destination;
    this.#known = known;
  }

  /** A log that cannot be read counts as empty. @throws errors of the store. */
  static async open(destination: Destination, signal: AbortSignal): Promise<AuditLog> {
    const text = await destination.readState(STATE_NAME, signal).catch((error: unknown) => {
      if (!(error instanceof TickhaulError) || error.code !== 'disk') throw error;
    });
    return new AuditLog(destination, splitByKey(text ?? ''));
  }

  /** The results of a file with the same thresholds. @param path relative to the folder. */
  find(path: string, thresholds: CheckThresholds): AuditRecord | undefined {
    const key = keyOf({ path, ...thresholds });
    const line = this.#added.get(key) ?? this.#known.get(key);
    return line === undefined ? undefined : parseRecordLine(line);
  }

  /**
   * One record of each file, by path: with the default thresholds if there is one. So a command without thresholds uses
   * the verdict of a usual audit.
   */
  records(): ReadonlyMap<string, AuditRecord> {
    const records = new Map<string, AuditRecord>();
    for (const line of this.#known.values()) {
      const record = parseRecordLine(line);
      if (!records.has(record.path) || hasDefaultThresholds(record)) records.set(record.path, record);
    }
    return records;
  }

  /** Adds a record, and writes the log if that is due. @throws as `write` does. */
  async add(record: AuditRecord, signal: AbortSignal): Promise<void> {
    this.#added.set(keyOf(record), formatRecordLine(record));
    this.#unwritten++;
    const isDue = performance.now() - this.#writtenAtMs >= MIN_WRITE_INTERVAL_MS;
    if (isDue && this.#unwritten >= MIN_NEW_SHARE * this.#known.size) await this.write(signal);
  }

  /** Writes what was added; call it at the end of a run. @throws TickhaulError `disk`; errors of the store. */
  write(signal: AbortSignal): Promise<void> {
    this.#writing = this.#writing.then(async () => {
      if (this.#unwritten === 0) return;
      this.#unwritten = 0;
      this.#writtenAtMs = performance.now();
      await this.#destination.updateState(STATE_NAME, (text) => this.#merge(text ?? ''), signal);
    });
    return this.#writing;
  }

  #merge(text: string): string {
    const lines = splitByKey(text);
    for (const line of this.#added.values()) lines.set(keyOf(parseRecordLine(line)), line);
    return [...lines.values()]
      .sort()
      .map((line) => `${line}\n`)
      .join('');
  }
}

/** The valid lines of a log, the last of each key. */
function splitByKey(text: string): LineStore {
  const lines = new LineStore();
  for (const line of text.split('\n')) {
    const record = parseShortRecord(line);
    if (record) lines.set(keyOf(record), line);
  }
  return lines;
}

function hasDefaultThresholds({ gapMs, jump }: CheckThresholds): boolean {
  return gapMs === DEFAULT_THRESHOLDS.gapMs && jump === DEFAULT_THRESHOLDS.jump;
}

function keyOf({ path, gapMs, jump }: Pick<AuditRecord, 'path' | keyof CheckThresholds>): string {
  return `${path}\n${gapMs}\n${jump}`;
}
