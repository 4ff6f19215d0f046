const SHORTEST = 8;

/** The secrets that a run has seen: what others say is shown only with these blotted out. */
export class Secrets {
  readonly #known = new Set<string>();

  /** Remembers a secret, and gives it back. */
  add(secret: string): string {
    // A shorter one hides nothing, and would blot out half of each message.
    if (secret.length >= SHORTEST) {
      this.#known.add(secret);
      // As it stands in JSON, and in a form.
      this.#known.add(JSON.stringify(secret).slice(1, -1));
      this.#known.add(new URLSearchParams({ _: secret }).toString().slice('_='.length));
    }
    return secret;
  }

  /** The text with `***` in place of every secret. */
  redact(text: string): string {
    // One may be a part of another.
    const longestFirst = [...this.#known].sort((a, b) => b.length - a.length);
    return longestFirst.reduce((shown, secret) => shown.replaceAll(secret, '***'), text);
  }
}
