import { ReaderClosedError } from '../base/output-sink.js';
import { type ArrowField, type ArrowType, TIME_TYPE } from '../format/arrow/arrow-message.js';
import { createArrowWriter } from '../format/arrow/arrow-writer.js';
import {
  type ArrowArray,
  createBooleanArray,
  createDoubleArray,
  createListArray,
  createLongArray,
  createStructArray,
  createTextArray,
  RecordBatchBuilder,
} from '../format/arrow/record-batch-encoder.js';
import { ByteWriter } from '../format/byte-writer.js';
import type { LineSink } from '../market/lines/line-buffer.js';
import { MESSAGE_LAYOUTS } from '../market/lines/message-layouts.js';
import type { NormalizedType } from '../market/message-type-name.js';
import type { SnapshotLevel } from '../market/messages.js';

/** A record batch is written at this number of messages, or bytes of their lines. */
const BATCH_MESSAGES = 65_536;
const BATCH_LINE_BYTES = 8 * 1024 * 1024;

/** A message by its keys. */
type ParsedMessage = Readonly<Record<string, unknown>>;

/** A sink of lines that needs an end. */
interface ArrowLineSink extends LineSink {
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

/** A column of messages of one type. */
interface MessageColumn {
  /** Key of the message. */
  readonly key: string;
  readonly kind: MessageColumnKind;
}

type MessageColumnKind = 'text' | 'number' | 'integer' | 'boolean' | 'time' | 'levels';

const columns = (kind: MessageColumnKind, ...keys: readonly string[]): readonly MessageColumn[] =>
  keys.map((key) => ({ key, kind }));

const HEAD = columns('text', 'type', 'symbol', 'exchange');
const TIMES = columns('time', 'timestamp', 'localTimestamp');
const LEVELS = columns('levels', 'bids', 'asks');

/** The columns of messages of a type, in the order of their keys (docs/spec/normalized-messages.md#json-form). */
function listMessageColumns(type: NormalizedType): readonly MessageColumn[] {
  if (type.kind === 'book_snapshot') {
    return [
      ...HEAD,
      ...columns('text', 'name'),
      ...columns('integer', 'depth'),
      ...columns('number', 'interval', 'grouping'),
      ...LEVELS,
      ...TIMES,
    ];
  }
  if (type.kind === 'trade_bar') {
    return [
      ...HEAD,
      ...columns('text', 'name'),
      ...columns('number', 'interval'),
      ...columns('text', 'kind'),
      ...columns('number', 'open', 'high', 'low', 'close', 'volume', 'buyVolume', 'sellVolume'),
      ...columns('integer', 'trades'),
      ...columns('number', 'vwap'),
      ...columns('time', 'openTimestamp', 'closeTimestamp', 'localTimestamp', 'timestamp'),
    ];
  }
  if (type.name === 'book_change') return [...HEAD, ...columns('boolean', 'isSnapshot'), ...LEVELS, ...TIMES];
  return [...HEAD, ...MESSAGE_LAYOUTS[type.name], ...TIMES];
}

/** The Arrow field of a column (docs/spec/arrow-mapping.md#messages-of-a-replay). */
function toArrowField({ key, kind }: MessageColumn): ArrowField {
  return nullable(toSnakeCase(key), ARROW_TYPES[kind]);
}

function nullable(name: string, type: ArrowType): ArrowField {
  return { name, type, nullable: true };
}

const LEVEL: ArrowType = {
  name: 'struct',
  fields: [nullable('price', { name: 'double' }), nullable('amount', { name: 'double' })],
};

const ARROW_TYPES: Readonly<Record<MessageColumnKind, ArrowType>> = {
  text: { name: 'utf8' },
  number: { name: 'double' },
  integer: { name: 'int', bits: 64, isSigned: true },
  boolean: { name: 'bool' },
  time: TIME_TYPE,
  levels: { name: 'list', item: nullable('item', LEVEL) },
};

function toSnakeCase(key: string): string {
  return key.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase();
}
