import { TickhaulError, usageError } from '../../base/errors.js';
import { type Day, parseDay } from '../../dataset/day.js';
import type { DayFile } from '../../dataset/day-file.js';
import { STATE_FOLDER } from '../../dataset/file-names.js';
import { isInside, isLayoutPath, isOwn } from '../paths.js';

/** One object of a file of JSON lines, whose fields are read one by one. Every error names file and line. */
export class JsonLine {
  readonly #fields: Readonly<Record<string, unknown>>;
  readonly #where: string;

  constructor(text: string, where: string) {
    this.#where = where;
    this.#fields = this.#parse(text);
  }

  /** @throws usage error. */
  fail(message: string): never {
    throw usageError(`${this.#where}: ${message}`);
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
    return this.fail(`"${name}" is ${shown(value)}, and must be a text`);
  }

  count(name: string): number {
    const value = this.#fields[name];
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
    return this.fail(`"${name}" is ${shown(value)}, and must be a whole number`);
  }

  /** `exchange`, `dataType`, `symbol` and `date`. */
  dayFile(): DayFile {
    return {
      exchange: this.text('exchange'),
      dataType: this.text('dataType'),
      symbol: this.text('symbol'),
      day: this.#day(),
    };
  }

  /** A path under the download folder, with `/`. */
  path(name: string): string {
    const path = this.text(name);
    if (!isInside(path)) return this.fail(`the path "${path}" leads out of the download folder`);
    if (isOwn(path)) return this.fail(`"${path}": ${STATE_FOLDER} is tickhaul's own`);
    if (!isLayoutPath(path)) return this.fail(`the path ${shown(path)} has control characters`);
    return path;
  }

  #day(): Day {
    try {
      return parseDay(this.text('date'));
    } catch (error) {
      if (error instanceof TickhaulError && !error.message.startsWith(this.#where)) this.fail(error.message);
      throw error;
    }
  }

  #parse(text: string): Readonly<Record<string, unknown>> {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      this.fail(`expected a JSON object, found ${shown(text)}`);
    }
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>;
    }
    return this.fail(`expected a JSON object, found ${shown(text)}`);
  }
}

/** The lines of a text that aren't empty. @param name of the file, for errors. */
export function* jsonLines(text: string, name: string): Generator<JsonLine> {
  let number = 0;
  for (const line of text.replace(/^\uFEFF/, '').split(/\r?\n/)) {
    number++;
    if (line.trim() !== '') yield new JsonLine(line, `${name} line ${number}`);
  }
}

const SHOWN = 60;

function shown(value: unknown): string {
  if (value === undefined) return 'missing';
  const text = JSON.stringify(value) ?? String(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
