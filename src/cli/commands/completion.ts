import { basename } from 'node:path';
import { usageError } from '../../base/errors.js';
import { defineCommand } from '../arguments/define-flags.js';

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

const OPTIONS = {
  shell: {
    type: 'choice',
    description: 'shell',
    defaultText: 'taken from $SHELL',
    choices: Object.keys(SCRIPTS) as [string, ...string[]],
    positional: true,
  },
} as const;

export const completionCommand = defineCommand(OPTIONS, {
  examples: [
    ['eval "$($0 completion bash)"', 'enable it in this bash session, or in ~/.bashrc for every session'],
    ['eval "$($0 completion zsh)"', 'enable it in zsh, after compinit in ~/.zshrc'],
    ['$0 completion fish > ~/.config/fish/completions/tickhaul.fish', 'enable it for every fish session'],
  ],
  async run(options, { env, stdout }) {
    const { shell = basename(env['SHELL'] ?? '') } = options;
    const script = SCRIPTS[shell];
    if (script === undefined) {
      const problem = shell === '' ? 'the shell is unknown' : `no completion for the shell "${shell}"`;
      throw usageError(`${problem}; use one: tickhaul completion bash, zsh or fish`);
    }
    stdout.write(script);
    return 0;
  },
});
