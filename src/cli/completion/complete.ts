import { readSettings } from '../../operations/settings.js';
import { readOptions } from '../../options/read-options.js';
import { SETTING_OPTIONS } from '../../options/service-options.js';
import { listStoredExchanges, readStoredNames } from '../../service/records/fetch-records.js';
import { COMMANDS } from '../commands/command-list.js';
import { type Candidate, type CompletionAnswer, findCandidates, findCursor } from './find-candidates.js';

/**
 * Completes a command line for a shell: `__complete <shell> …`. It runs at each press of the completion key, so it sends
 * no request, writes nothing and does not load yargs. After any error the result is empty.
 * @param shellArgs the arguments of the shell's script, after the shell's name. @param home returns the user's home folder.
 */
export async function complete(
  [name = '', ...shellArgs]: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  home: () => string | undefined,
): Promise<string> {
  try {
    const shell = SHELLS[name];
    if (!shell) return '';
    const { words, kept: keptCharacters } = shell.read(shellArgs);
    const cursor = await findCursor(COMMANDS, words);
    const { apiUrl, cacheDir } = readSettings(
      env,
      readOptions(SETTING_OPTIONS, Object.fromEntries(cursor.given.flags)),
      home(),
    );
    const answer = await findCandidates(cursor, COMMANDS, {
      exchanges: async () => (cacheDir === undefined ? [] : listStoredExchanges(apiUrl, cacheDir)),
      names: async (exchange) =>
        cacheDir === undefined
          ? undefined
          : readStoredNames(apiUrl, cacheDir, exchange).catch(() => undefined),
    });
    return formatAnswer(shell, answer, keptCharacters);
  } catch {
    return '';
  }
}

/** Protocol of a shell's completion script. */
interface Shell {
  /**
   * The words up to the cursor without the program's name, and the characters of the last word that the shell
   * keeps.
   */
  read(shellArgs: readonly string[]): { readonly words: readonly string[]; readonly kept: number };
  line(candidate: Candidate, kept: number): string;
}

/**
 * Arguments after `__complete <shell>`: for bash the line up to the cursor and its word breaks, else the
 * words.
 */
const SHELLS: Readonly<Record<string, Shell>> = {
  bash: {
    read([line = '', breaks = '']) {
      const { words, keptCharacters } = splitShellLine(line, breaks);
      return { words: words.slice(1), kept: keptCharacters };
    },
    line: ({ text }, kept) => text.slice(kept),
  },
  zsh: {
    read: (shellArgs) => ({ words: shellArgs, kept: 0 }),
    line: ({ text, describe }) => {
      const escaped = text.replace(/[\\:]/g, '\\$&');
      return describe === undefined ? escaped : `${escaped}:${describe}`;
    },
  },
  fish: {
    read: ([, ...words]) => ({ words: words.map((word) => word.replace(/^['"]/, '')), kept: 0 }),
    line: ({ text, describe }) => (describe === undefined ? text : `${text}\t${describe}`),
  },
};

/** Formats completions for the scripts: their kind, then one candidate per line. */
function formatAnswer(shell: Shell, answer: CompletionAnswer, kept: number): string {
  const lines =
    answer.kind === 'words' ? answer.candidates.map((candidate) => shell.line(candidate, kept)) : [];
  return [answer.kind, ...lines].map((line) => `${line}\n`).join('');
}

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
