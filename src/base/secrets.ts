const MIN_SECRET_LENGTH = 8;
/** Longer texts are not codes that a page shows. */
const MAX_CODE_LENGTH = 64;
/** Separators that may occur between the characters of a displayed code. */
const CODE_GAP = '[\\s\\p{Pd}\\p{Cc}\\p{Cf}]*';

/** The secrets that a run has used. Text from outside is shown only with them replaced by `***`. */
export class Secrets {
  readonly #known = new Map<string, RegExp>();
  readonly #codes = new Map<string, RegExp>();

  /** Registers a secret and returns it. */
  add(secret: string): string {
    // A shorter text protects nothing, and would replace half of each message.
    if (secret.length >= MIN_SECRET_LENGTH && !this.#known.has(secret)) {
      this.#known.set(secret, createSecretPattern(secret));
    }
    return secret;
  }

  /** Registers a code that the user typed, of any length, and returns it. */
  addCode(code: string): string {
    if (code !== '' && code.length <= MAX_CODE_LENGTH) this.#codes.set(code, createCodePattern(code));
    return this.add(code);
  }

  /** Replaces each secret by `***`, except short codes, which may be part of any word. */
  redact(text: string): string {
    // One secret may contain another.
    const longestFirst = [...this.#known].sort(([a], [b]) => b.length - a.length);
    return longestFirst.reduce((shown, [, pattern]) => shown.replace(pattern, '***'), text);
  }

  /** Replaces each secret in the messages and stacks of an error of another package, and returns it. */
  redactError(error: unknown): unknown {
    if (!(error instanceof Error)) return error;
    error.message = this.redact(error.message);
    if (error.stack !== undefined) error.stack = this.redact(error.stack);
    this.redactError(error.cause);
    return error;
  }

  /** Replaces each secret in the text of an error response, including codes in any notation. */
  redactQuote(text: string): string {
    const longestFirst = [...this.#codes].sort(([a], [b]) => b.length - a.length);
    return longestFirst.reduce((shown, [, pattern]) => shown.replace(pattern, '***'), this.redact(text));
  }
}

let latest: { readonly secret: string; readonly pattern: RegExp } | undefined;

/** Replaces a secret of any length by `***` in a text that others may have composed. */
export function redactSecret(text: string, secret: string | undefined): string {
  if (secret === undefined || secret === '') return text;
  // A run has one key, and asks for each of its requests.
  if (latest?.secret !== secret) latest = { secret, pattern: createSecretPattern(secret) };
  return text.replace(latest.pattern, '***');
}

/** Matches a secret as it is and as servers echo it: each character may be URL-encoded, JSON-escaped or HTML-escaped. */
function createSecretPattern(secret: string): RegExp {
  return new RegExp([...secret].map(createCharacterPattern).join(''), 'gu');
}

function createCharacterPattern(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const bytes = [...Buffer.from(character)].map((byte) => `%(?:25)*${toHexPattern(byte, 2)}`).join('');
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  const json = JSON.stringify(character).slice(1, -1);
  const forms = [
    ...(json === character ? [] : [escapePattern(json)]),
    ...(character === ' ' ? ['\\+'] : []),
    ...(HTML_NAMES[character] === undefined ? [] : [`&${HTML_NAMES[character]};`]),
    bytes,
    units.map((unit) => `\\\\u${toHexPattern(unit, 4)}`).join(''),
    `&#(?:0*${code}|[xX]0*${toHexPattern(code, 1)});`,
    // Last: the longer forms of a percent sign, a backslash and an ampersand begin with it.
    escapePattern(character),
  ];
  return `(?:${forms.join('|')})`;
}

const HTML_NAMES: Readonly<Record<string, string>> = {
  '&': 'amp',
  '<': 'lt',
  '>': 'gt',
  '"': 'quot',
  "'": 'apos',
};

/** Matches a number in hexadecimal digits of any case. */
function toHexPattern(value: number, digits: number): string {
  const hex = value.toString(16).padStart(digits, '0');
  return hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** Matches a code in any case and with any separators; a short code only as a whole word. */
function createCodePattern(code: string): RegExp {
  const letters = [...code].map(escapePattern).join(CODE_GAP);
  const word = code.length >= MIN_SECRET_LENGTH ? letters : `(?<![\\p{L}\\p{N}])${letters}(?![\\p{L}\\p{N}])`;
  return new RegExp(word, 'giu');
}
