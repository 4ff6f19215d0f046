import { basename } from 'node:path';
import { usageError } from '../../base/errors.js';
import type { Action } from '../arguments/types.js';

/**
 * Each script asks the program itself, and falls back to file names. SHELL decides in which form yargs answers,
 * and may name another shell than the one that asks.
 */
const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `# tickhaul completion for bash: put this line into ~/.bashrc
#   eval "$(tickhaul completion bash)"
_tickhaul() {
  local word="\${COMP_WORDS[COMP_CWORD]}" line
  local -a words=()
  # bash takes --format=parquet for three words.
  for line in "\${COMP_WORDS[@]:1:COMP_CWORD}"; do [[ "$line" == "=" ]] || words+=("$line"); done
  [[ "$word" == "=" ]] && word="" && words+=("")
  COMPREPLY=()
  while IFS= read -r line; do
    [[ "$line" == "$word"* ]] && COMPREPLY+=("$line")
  done < <(SHELL=bash "\${COMP_WORDS[0]}" --get-yargs-completions tickhaul "\${words[@]}" 2>/dev/null)
}
complete -o bashdefault -o default -F _tickhaul tickhaul
`,
  zsh: `#compdef tickhaul
# tickhaul completion for zsh: put this line into ~/.zshrc, after compinit
#   eval "$(tickhaul completion zsh)"
_tickhaul() {
  local -a found
  found=("\${(@f)$(SHELL=zsh tickhaul --get-yargs-completions "\${(@)words[1,CURRENT]}" 2>/dev/null)}")
  if (( \${#found} )) && [[ -n "$found[1]" ]]; then
    _describe 'tickhaul' found
  else
    _files
  fi
}
compdef _tickhaul tickhaul
`,
  fish: `# tickhaul completion for fish: tickhaul completion fish > ~/.config/fish/completions/tickhaul.fish
complete -c tickhaul -f -a '(SHELL=zsh tickhaul --get-yargs-completions (commandline -opc) (commandline -ct) 2>/dev/null | string replace -r ":" "\\t")'
complete -c tickhaul -l dir -s o -r -F
complete -c tickhaul -l api-key-file -r -F
`,
};

export const completion: Action = {
  positionals: {
    shell: { type: 'string', choices: Object.keys(SCRIPTS), describe: 'default: the shell that SHELL names' },
  },
  flags: {},
  examples: [
    ['eval "$($0 completion bash)"', 'for this bash session, or in ~/.bashrc for every one'],
    ['eval "$($0 completion zsh)"', 'the same for zsh, after compinit in ~/.zshrc'],
    ['$0 completion fish > ~/.config/fish/completions/tickhaul.fish', 'for every fish session'],
  ],
  async run(args, { env, stdout }) {
    const shell = args['shell'] === undefined ? basename(env['SHELL'] ?? '') : String(args['shell']);
    const script = SCRIPTS[shell];
    if (script === undefined) {
      const found = shell === '' ? 'which shell is not known' : `no completion for the shell "${shell}"`;
      throw usageError(`${found}; name one: tickhaul completion bash, zsh or fish`);
    }
    stdout.write(script);
    return 0;
  },
};
