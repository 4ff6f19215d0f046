/** The words of a command line up to the cursor, as a shell would pass them. */
export interface ShellLine {
  /** The last word is at the cursor, and empty after a space. */
  readonly words: readonly string[];
  /** Characters of the last word before the part that the shell replaces. */
  readonly keptCharacters: number;
}

/**
 * Splits a line of bash (Bash Reference Manual, Quoting). Variables and globs are not expanded.
 * @param breaks characters at which bash splits the last word: COMP_WORDBREAKS.
 */
export function splitShellLine(line: string, breaks: string): ShellLine {
  const words: string[] = [];
  let word: string | undefined;
  let kept = 0;
  let quote = '';
  for (let at = 0; at < line.length; at++) {
    const character = line.charAt(at);
    if (quote === '' && /\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      kept = 0;
    } else if (character === quote) quote = '';
    else if (quote === '' && /['"]/.test(character)) {
      word ??= '';
      kept = word.length;
      quote = character;
    } else if (character === '\\' && quote !== "'" && at + 1 < line.length) {
      at++;
      word = (word ?? '') + line.charAt(at);
    } else {
      word = (word ?? '') + character;
      if (quote === '' && breaks.includes(character)) kept = word.length;
    }
  }
  return { words: [...words, word ?? ''], keptCharacters: kept };
}
