import { ReaderClosedError } from '../../base/output-sink.js';
import { createArrowWriter } from '../../format/arrow/arrow-writer.js';
import {
  type ArrowArray,
  createBooleanArray,
  createDoubleArray,
  createListArray,
  createLongArray,
  createStructArray,
  createTextArray,
  RecordBatchBuilder,
} from '../../format/arrow/record-batch.js';
import { ByteWriter } from '../../format/byte-writer.js';
import type { LineSink } from '../../market/lines/line-sink.js';
import type { SnapshotLevel } from '../../market/messages.js';
import type { NormalizedType } from '../../market/names/message-type-name.js';
import { listMessageColumns, type MessageColumnKind, toArrowField } from './message-columns.js';

/** A record batch is written at this number of messages, or bytes of their lines. */
const BATCH_MESSAGES = 65_536;
const BATCH_LINE_BYTES = 8 * 1024 * 1024;

/** A message by its keys. */
type ParsedMessage = Readonly<Record<string, unknown>>;

/** A sink of lines that needs an end. */
export interface ArrowLineSink extends LineSink {
  /** Writes the remaining messages and the end. @throws errors of the output. */
  end(): Promise<void>;
  /** As in `ArrowWriter`. */
  breakOff(): Promise<void>;
}

/**
 * Converts lines of messages of one type to Arrow IPC (docs/spec/arrow-mapping.md#messages-of-a-replay). Each write must
 * have complete lines.
 * @param container a file has a footer, a stream has none.
 */
export function createArrowLineSink(
  output: LineSink,
  type: NormalizedType,
  container: 'file' | 'stream',
): ArrowLineSink {
  const columns = listMessageColumns(type);
  const writer = createArrowWriter(withoutCounts(output), { fields: columns.map(toArrowField) }, container);
  const out = new ByteWriter(65_536);
  let messages: ParsedMessage[] = [];
  let lineBytes = 0;

  const flush = async (): Promise<void> => {
    const builder = new RecordBatchBuilder(out, undefined);
    for (const { key, kind } of columns)
      builder.add(
        createArray(
          kind,
          messages.map((message) => message[key]),
        ),
      );
    const batch = builder.finish(messages.length);
    messages = [];
    lineBytes = 0;
    await writer.writeBatch(batch);
  };

  return {
    async write(bytes) {
      for (const message of parseLines(bytes)) messages.push(message);
      lineBytes += bytes.length;
      if (messages.length >= BATCH_MESSAGES || lineBytes >= BATCH_LINE_BYTES) await flush();
    },
    async end() {
      if (messages.length > 0) await flush();
      await writer.finish();
    },
    breakOff: () => writer.breakOff(),
  };
}

/** Parses all lines at once, which takes less time than one by one. */
function parseLines(bytes: Uint8Array): readonly ParsedMessage[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString().trimEnd();
  return JSON.parse(`[${text.replaceAll('\n', ',')}]`) as ParsedMessage[];
}

/** An output whose errors do not say how much of a write was accepted: that is no number of bytes of lines. */
function withoutCounts(output: LineSink): LineSink {
  return {
    async write(bytes) {
      try {
        await output.write(bytes);
      } catch (error) {
        throw error instanceof ReaderClosedError ? new ReaderClosedError(0) : error;
      }
    },
  };
}

/** @param values values of a key in each message; undefined if a message has none. */
function createArray(kind: MessageColumnKind, values: readonly unknown[]): ArrowArray {
  switch (kind) {
    case 'text':
      return createTextArray(values as readonly (string | undefined)[]);
    case 'number':
      return createDoubleArray(values as readonly (number | null | undefined)[]);
    case 'integer':
      return createLongArray(values as readonly (number | undefined)[]);
    case 'boolean':
      return createBooleanArray(values as readonly (boolean | undefined)[]);
    case 'time':
      return createLongArray(
        values.map((value) => (typeof value === 'string' ? parseTime(value) : undefined)),
      );
    case 'levels':
      return createListArray(values as readonly (readonly SnapshotLevel[])[], createLevels);
  }
}

function createLevels(levels: readonly SnapshotLevel[]): ArrowArray {
  return createStructArray(levels.length, [
    createDoubleArray(levels.map(({ price }) => price)),
    createDoubleArray(levels.map(({ amount }) => amount)),
  ]);
}

/** The text of the second in the last time, and its microseconds. */
let lastSecond = '';
let lastSecondUs = 0;

/** Parses a time with three or six decimals to microseconds. Most messages share a second with another one. */
function parseTime(text: string): number {
  const point = text.indexOf('.');
  const second = text.slice(0, point);
  if (second !== lastSecond) {
    lastSecond = second;
    lastSecondUs = Date.parse(`${second}Z`) * 1000;
  }
  const decimals = text.slice(point + 1, -1);
  return lastSecondUs + (decimals.length === 3 ? 1000 * Number(decimals) : Number(decimals));
}
