import type { Candidate, CompletionAnswer } from './find-candidates.js';

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

/**
 * Output of `tickhaul completion`. Each script calls the program for completions. The first line of its output says
 * whether words follow or the shell completes paths; after an empty output, the shell completes paths too.
 */
export const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `# tickhaul completion for bash: put this line into ~/.bashrc
#   eval "$(tickhaul completion bash)"
_tickhaul() {
  local line kind=""
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ -z "$kind" ]]; then kind="$line"; else COMPREPLY+=("$line"); fi
  done < <("\${COMP_WORDS[0]}" __complete bash "\${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null)
  # The bash of macOS has no compopt, and offers files where no word fits.
  case "$kind" in
    words) compopt +o default +o bashdefault 2>/dev/null ;;
    folders) compopt +o default +o bashdefault -o dirnames 2>/dev/null ;;
  esac
  return 0
}
complete -o bashdefault -o default -F _tickhaul tickhaul
`,
  zsh: `#compdef tickhaul
# tickhaul completion for zsh: put this line into ~/.zshrc, after compinit
#   eval "$(tickhaul completion zsh)"
_tickhaul() {
  local kind
  local -a found
  found=("\${(@f)$(tickhaul __complete zsh "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)}")
  kind=$found[1]
  shift found
  case $kind in
    words) (( $#found )) && _describe tickhaul found -M 'm:{[:lower:]}={[:upper:]}' -S ' ' -r ',: ' ;;
    folders) _files -/ ;;
    *) _files ;;
  esac
}
compdef _tickhaul tickhaul
`,
  fish: `# tickhaul completion for fish: tickhaul completion fish > ~/.config/fish/completions/tickhaul.fish
function __tickhaul_complete
  set -l found (tickhaul __complete fish (commandline -opc) (commandline -ct) 2>/dev/null)
  switch "$found[1]"
    case words
      set -e found[1]
      printf '%s\\n' $found
    case folders
      __fish_complete_directories (commandline -ct)
    case '*'
      __fish_complete_path (commandline -ct)
  end
end
complete -c tickhaul -f -a '(__tickhaul_complete)'
`,
};
