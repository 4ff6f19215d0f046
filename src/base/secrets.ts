const MIN_SECRET_LENGTH = 8;
/** A longer one is no code that a page shows. */
const MAX_CODE_LENGTH = 64;
/** What stands between the letters of a code that is written to be read. */
const CODE_GAP = '[\\s\\p{Pd}\\p{Cc}\\p{Cf}]*';

/** The secrets that a run has seen: what others say is shown only with these blotted out. */
export class Secrets {
  readonly #known = new Set<string>();
  readonly #codes = new Map<string, RegExp>();

  /** Remembers a secret, and gives it back. */
  add(secret: string): string {
    // A shorter one hides nothing, and would blot out half of each message.
    if (secret.length >= MIN_SECRET_LENGTH) {
      this.#known.add(secret);
      // As it stands in JSON, and in a form.
      this.#known.add(JSON.stringify(secret).slice(1, -1));
      this.#known.add(new URLSearchParams({ _: secret }).toString().slice('_='.length));
    }
    return secret;
  }

  /** Remembers a code that the user typed, however short it is, and gives it back. */
  addCode(code: string): string {
    if (code !== '' && code.length <= MAX_CODE_LENGTH) this.#codes.set(code, createCodePattern(code));
    return this.add(code);
  }

  /** The text with `***` in place of every secret but short codes, which may be part of anything. */
  redact(text: string): string {
    // One may be a part of another.
    const longestFirst = [...this.#known].sort((a, b) => b.length - a.length);
    return longestFirst.reduce((shown, secret) => shown.replaceAll(secret, '***'), text);
  }

  /** What an error answer says, with `***` in place of every secret; of codes, however they are written. */
  redactQuote(text: string): string {
    const longestFirst = [...this.#codes].sort(([a], [b]) => b.length - a.length);
    return longestFirst.reduce((shown, [, pattern]) => shown.replace(pattern, '***'), this.redact(text));
  }
}

/** A code in any case and with any gaps; a short one only as a word of its own. */
function createCodePattern(code: string): RegExp {
  const letters = [...code].map((letter) => letter.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&')).join(CODE_GAP);
  const word = code.length >= MIN_SECRET_LENGTH ? letters : `(?<![\\p{L}\\p{N}])${letters}(?![\\p{L}\\p{N}])`;
  return new RegExp(word, 'giu');
}
