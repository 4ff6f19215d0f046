const MIN_SECRET_LENGTH = 8;
/** Longer texts are not codes that a page shows. */
const MAX_CODE_LENGTH = 64;
/** Separators that may occur between the characters of a displayed code. */
const CODE_GAP = '[\\s\\p{Pd}\\p{Cc}\\p{Cf}]*';

/** The secrets that a run has used. Text from outside is shown only with them replaced by `***`. */
export class Secrets {
  readonly #known = new Set<string>();
  readonly #codes = new Map<string, RegExp>();

  /** Registers a secret and returns it. */
  add(secret: string): string {
    // A shorter text protects nothing, and would replace half of each message.
    if (secret.length >= MIN_SECRET_LENGTH) {
      this.#known.add(secret);
      // Its JSON-escaped and form-encoded variants.
      this.#known.add(JSON.stringify(secret).slice(1, -1));
      this.#known.add(new URLSearchParams({ _: secret }).toString().slice('_='.length));
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
    const longestFirst = [...this.#known].sort((a, b) => b.length - a.length);
    return longestFirst.reduce((shown, secret) => shown.replaceAll(secret, '***'), text);
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

/** Matches a code in any case and with any separators; a short code only as a whole word. */
function createCodePattern(code: string): RegExp {
  const letters = [...code].map((letter) => letter.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&')).join(CODE_GAP);
  const word = code.length >= MIN_SECRET_LENGTH ? letters : `(?<![\\p{L}\\p{N}])${letters}(?![\\p{L}\\p{N}])`;
  return new RegExp(word, 'giu');
}
