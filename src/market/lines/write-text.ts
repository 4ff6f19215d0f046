import type { TextColumn, TextValues } from '../../format/batch.js';
import { createFixedText, type FixedText } from '../../format/ndjson/write-json.js';

const SPACE = 32;
const QUOTE = 34;
const BACKSLASH = 92;
const DELETE = 127;

/** The texts of a dictionary as JSON strings, each after `begin`. */
export function createDictionaryTexts(dictionary: TextValues, begin: string): FixedText[] {
  return decodeTexts(dictionary).map((text) => createFixedText(`${begin}${JSON.stringify(text)}`));
}

/** Decodes all texts. */
function decodeTexts({ bytes, offsets }: TextValues): string[] {
  const texts: string[] = [];
  for (let i = 0; i + 1 < offsets.length; i++) {
    texts.push(decode(bytes, offsets[i] as number, offsets[i + 1] as number));
  }
  return texts;
}

/** Writes text as the content of a JSON string, as `JSON.stringify` does; returns the position after it. */
export function writeText(text: Uint8Array, start: number, end: number, out: Uint8Array, at: number): number {
  for (let p = start, q = at; p < end; p++, q++) {
    const byte = text[p] as number;
    if (byte < SPACE || byte === QUOTE || byte === BACKSLASH) return writeEscaped(text, start, end, out, at);
    out[q] = byte;
  }
  return at + end - start;
}

/**
 * Writes text as a JSON string with quotes, as `JSON.stringify` does; returns the position after it. It needs
 * room for `MAX_ESCAPE_BYTES` per UTF-16 unit, plus two bytes.
 */
export function writeString(text: string, out: Uint8Array, at: number): number {
  let p = at;
  out[p++] = QUOTE;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < SPACE || unit >= DELETE || unit === QUOTE || unit === BACKSLASH) {
      return at + Buffer.from(out.buffer, out.byteOffset, out.length).write(JSON.stringify(text), at);
    }
    out[p++] = unit;
  }
  out[p++] = QUOTE;
  return p;
}

/** Converts a text column to a dictionary, unless it is one. */
export function toDictionary(column: TextColumn): { indices: Int32Array; texts: readonly string[] } {
  if (column.encoding === 'dictionary') {
    return { indices: column.indices, texts: decodeTexts(column.dictionary) };
  }
  const known = new Map<string, number>();
  const indices = Int32Array.from(decodeTexts(column.text), (text) => {
    const index = known.get(text) ?? known.size;
    known.set(text, index);
    return index;
  });
  return { indices, texts: [...known.keys()] };
}

function writeEscaped(text: Uint8Array, start: number, end: number, out: Uint8Array, at: number): number {
  const inside = JSON.stringify(decode(text, start, end)).slice(1, -1);
  return at + Buffer.from(out.buffer, out.byteOffset, out.length).write(inside, at);
}

function decode({ buffer, byteOffset }: Uint8Array, start: number, end: number): string {
  return Buffer.from(buffer, byteOffset + start, end - start).toString();
}
