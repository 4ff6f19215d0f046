import type { Candidate, CompletionAnswer } from './find-candidates.js';
import { splitShellLine } from './shell-line.js';

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
export const SHELLS: Readonly<Record<string, Shell>> = {
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
export function formatAnswer(shell: Shell, answer: CompletionAnswer, kept: number): string {
  const lines =
    answer.kind === 'words' ? answer.candidates.map((candidate) => shell.line(candidate, kept)) : [];
  return [answer.kind, ...lines].map((line) => `${line}\n`).join('');
}
