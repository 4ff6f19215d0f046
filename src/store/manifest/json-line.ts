import { TickhaulError, usageError } from '../../base/errors.js';
import { parseShallowJson } from '../../base/json-depth.js';
import { type Day, parseDay } from '../../day-files/day.js';
import { type DayFile, STATE_FOLDER } from '../../day-files/day-file.js';
import { isInside, isLayoutPath, isStatePath } from '../paths.js';

/** One object in a file of JSON lines. Its methods read single fields and throw errors with file and line. */
export class JsonLine {
  readonly #fields: Readonly<Record<string, unknown>>;
  readonly #location: string;

  constructor(text: string, location: string) {
    this.#location = location;
    this.#fields = this.#parse(text);
  }

  /** @throws usage error. */
  fail(message: string): never {
    throw usageError(`${this.#location}: ${message}`);
  }

  has(name: string): boolean {
    return this.#fields[name] !== undefined;
  }

  names(): readonly string[] {
    return Object.keys(this.#fields);
  }

  text(name: string): string {
    const value = this.#fields[name];
    if (typeof value === 'string' && value !== '') return value;
    return this.fail(`"${name}" is ${formatValue(value)}, but must be a text`);
  }

  count(name: string): number {
    const value = this.#fields[name];
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
    return this.fail(`"${name}" is ${formatValue(value)}, but must be a whole number`);
  }

  /** Reads `exchange`, `dataType`, `symbol` and `date`. */
  dayFile(): DayFile {
    return {
      exchange: this.text('exchange'),
      dataType: this.text('dataType'),
      symbol: this.text('symbol'),
      day: this.#day(),
    };
  }

  /** Reads a path under the download folder, with `/`. */
  path(name: string): string {
    const path = this.text(name);
    if (!isInside(path)) return this.fail(`the path "${path}" leads out of the download folder`);
    if (isStatePath(path))
      return this.fail(`the path "${path}" is in ${STATE_FOLDER}, tickhaul's state folder`);
    if (!isLayoutPath(path)) return this.fail(`the path ${formatValue(path)} contains control characters`);
    return path;
  }

  #day(): Day {
    try {
      return parseDay(this.text('date'));
    } catch (error) {
      if (error instanceof TickhaulError && !error.message.startsWith(this.#location))
        this.fail(error.message);
      throw error;
    }
  }

  #parse(text: string): Readonly<Record<string, unknown>> {
    let value: unknown;
    try {
      value = parseShallowJson(text);
    } catch {
      this.fail(`expected a JSON object, found ${formatValue(text)}`);
    }
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>;
    }
    return this.fail(`expected a JSON object, found ${formatValue(text)}`);
  }
}

/** Parses all non-empty lines of a text. @param name of the file, for errors. */
export function* parseJsonLines(text: string, name: string): Generator<JsonLine> {
  let number = 0;
  for (const line of text.replace(/^\uFEFF/, '').split(/\r?\n/)) {
    number++;
    if (line.trim() !== '') yield new JsonLine(line, `${name} line ${number}`);
  }
}

const MAX_SHOWN_CHARACTERS = 60;

function formatValue(value: unknown): string {
  if (value === undefined) return 'missing';
  const text = JSON.stringify(value) ?? String(value);
  return text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text;
}
