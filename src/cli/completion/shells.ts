import type { Candidate, CompletionAnswer } from './find-candidates.js';
import { splitShellLine } from './shell-line.js';

/** How a shell asks, and what it understands. */
interface Shell {
  /** The words up to the cursor without the program's name, and how many characters of the last one the shell keeps. */
  read(asked: readonly string[]): { readonly words: readonly string[]; readonly kept: number };
  line(candidate: Candidate, kept: number): string;
}

/** What comes after `__complete <shell>`: of bash the line up to the cursor and its word breaks, of others the words. */
export const SHELLS: Readonly<Record<string, Shell>> = {
  bash: {
    read([line = '', breaks = '']) {
      const { words, kept } = splitShellLine(line, breaks);
      return { words: words.slice(1), kept };
    },
    line: ({ text }, kept) => text.slice(kept),
  },
  zsh: {
    read: (asked) => ({ words: asked, kept: 0 }),
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

/** An answer as the scripts read it: its kind, then a candidate a line. */
export function formatAnswer(shell: Shell, answer: CompletionAnswer, kept: number): string {
  const lines = answer.kind === 'words' ? answer.candidates.map((each) => shell.line(each, kept)) : [];
  return [answer.kind, ...lines].map((line) => `${line}\n`).join('');
}
