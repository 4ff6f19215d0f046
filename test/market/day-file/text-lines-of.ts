import { TickhaulError } from '../../../src/base/errors.js';
import { dataTypeColumns } from '../../../src/day-files/data-types.js';
import { parseDay } from '../../../src/day-files/day.js';
import { RowTally } from '../../../src/market/day-file/row-tally.js';
import { createTextLines, type LineMemories } from '../../../src/market/day-file/text-lines.js';
import { LineBuffer } from '../../../src/market/lines/line-buffer.js';
import {
  EXCHANGE_MESSAGE_TYPES,
  type ExchangeMessageTypeName,
  parseMessageType,
} from '../../../src/market/message-type-name.js';
import type { Period } from '../../../src/market/trade-bars.js';
import { ALWAYS } from '../lines-of.js';

export interface TextRun {
  readonly type: ExchangeMessageTypeName;
  /** The text of consecutive day files. */
  readonly files: readonly (string | Buffer)[];
  /** Sizes of the pieces in bytes, repeated. */
  readonly cuts: readonly number[];
  readonly period?: Period;
  /** The requested types; by default only the message type. */
  readonly names?: readonly string[];
  /** Selects symbols; then the kernel is not used. */
  readonly isWanted?: ((symbol: string) => boolean) | undefined;
}

export interface TextRunResult {
  readonly text: string;
  readonly localTimestamps: readonly number[];
  /** Counts of the rows of each started file; `day-0` is of 2024-03-01 and of symbol S. */
  readonly counts: readonly Counts[];
  /** The error, if any. */
  readonly error: string | undefined;
}

export function headerOf(type: ExchangeMessageTypeName): string {
  return `${dataTypeColumns(EXCHANGE_MESSAGE_TYPES[type])?.map(({ name }) => name)}\n`;
}

/** The same run with columns instead of the kernel. */
export function byColumns(run: TextRun): TextRun {
  return { ...run, isWanted: run.isWanted ?? (() => true) };
}

/** The lines of day files, from a small buffer that is emptied from time to time. */
export function textLinesOf(run: TextRun, memories: LineMemories): TextRunResult {
  const [result] = textLinesInTurns([run], memories, () => 0);
  return result as TextRunResult;
}

/**
 * The lines of several series that use the memories of one thread in turns.
 * @param turn selects the series of the next piece among those with text left.
 */
export function textLinesInTurns(
  runs: readonly TextRun[],
  memories: LineMemories,
  turn: (count: number) => number,
): TextRunResult[] {
  const series = runs.map((run) => ({ steps: pushPieces(run, memories), result: undefined as Result }));
  for (let left = [...series]; left.length > 0; left = left.filter(({ result }) => result === undefined)) {
    const one = left[turn(left.length)];
    const { done, value } = one?.steps.next() ?? {};
    if (one && done) one.result = value as TextRunResult;
  }
  return series.map(({ result }) => result as TextRunResult);
}

/** The counts of a tally. */
type Counts = Pick<RowTally, 'rows' | 'outside' | 'backwards' | 'foreign' | 'last'>;

type Result = TextRunResult | undefined;

/** Pushes a piece at each step. */
function* pushPieces(
  { type, files, cuts, period = ALWAYS, names = [type], isWanted }: TextRun,
  memories: LineMemories,
): Generator<void, TextRunResult, undefined> {
  const types = names.map(parseMessageType);
  const lines = createTextLines(
    { dataType: EXCHANGE_MESSAGE_TYPES[type], types, period, isSelected: isWanted },
    memories,
  );
  const out = new LineBuffer(1);
  const texts: string[] = [];
  const localTimestamps: number[] = [];
  const tallies: RowTally[] = [];
  const drainBuffer = (): void => {
    texts.push(Buffer.from(out.bytes.subarray(0, out.length)).toString());
    localTimestamps.push(...out.localTimestamps.subarray(0, out.count));
    if (out.count > 0 && out.ends[out.count - 1] !== out.length) throw new Error('the last line has no end');
    out.clear();
  };
  let error: string | undefined;
  try {
    for (const [i, file] of files.entries()) {
      const text = Buffer.from(file);
      const tally = new RowTally({ path: `day-${i}.csv.gz`, day: parseDay('2024-03-01'), symbol: 'S' });
      tallies.push(tally);
      lines.open(tally);
      for (let at = 0, nth = 0; at < text.length; nth++) {
        // Push a copy and overwrite it: the text must not be kept.
        const piece = Buffer.from(text.subarray(at, at + (cuts[nth % cuts.length] ?? 1)));
        at += piece.length;
        lines.push(piece, out);
        piece.fill(0x37);
        if (nth % 3 === 0) drainBuffer();
        yield;
      }
      lines.end(out);
    }
  } catch (thrown) {
    if (!(thrown instanceof TickhaulError)) throw thrown;
    error = thrown.message;
  }
  drainBuffer();
  const counts = tallies.map(({ rows, outside, backwards, foreign, last }) => ({
    ...{ rows, outside, backwards, foreign, last },
  }));
  return { text: texts.join(''), localTimestamps, counts, error };
}
