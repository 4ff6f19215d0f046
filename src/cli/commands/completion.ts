import { basename } from 'node:path';
import { usageError } from '../../errors.js';
import type { Command } from '../types.js';

/** Each script asks the program itself, and falls back to file names. */
const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `# tickhaul completion for bash: put this line into ~/.bashrc
#   eval "$(tickhaul completion bash)"
_tickhaul() {
  local word="\${COMP_WORDS[COMP_CWORD]}" line
  COMPREPLY=()
  while IFS= read -r line; do
    [[ "$line" == "$word"* ]] && COMPREPLY+=("$line")
  done < <("\${COMP_WORDS[0]}" --get-yargs-completions "\${COMP_WORDS[@]:0:COMP_CWORD+1}" 2>/dev/null)
}
complete -o bashdefault -o default -F _tickhaul tickhaul
`,
  zsh: `#compdef tickhaul
# tickhaul completion for zsh: put this line into ~/.zshrc, after compinit
#   eval "$(tickhaul completion zsh)"
_tickhaul() {
  local -a found
  found=("\${(@f)$(tickhaul --get-yargs-completions "\${(@)words[1,CURRENT]}" 2>/dev/null)}")
  if (( \${#found} )) && [[ -n "$found[1]" ]]; then
    _describe 'tickhaul' found
  else
    _files
  fi
}
compdef _tickhaul tickhaul
`,
  fish: `# tickhaul completion for fish: tickhaul completion fish > ~/.config/fish/completions/tickhaul.fish
complete -c tickhaul -f -a '(tickhaul --get-yargs-completions (commandline -opc) (commandline -ct) 2>/dev/null | string replace -r ":" "\\t")'
complete -c tickhaul -l dir -s o -r -F
complete -c tickhaul -l api-key-file -r -F
`,
};

export const completion: Command = {
  syntax: 'completion [shell]',
  describe: 'print a shell completion script',
  positionals: {
    shell: { type: 'string', choices: Object.keys(SCRIPTS), describe: 'default: the shell that SHELL names' },
  },
  flags: {},
  examples: [
    ['eval "$($0 completion bash)"', 'for this bash session, or in ~/.bashrc for every one'],
    ['$0 completion fish > ~/.config/fish/completions/tickhaul.fish', 'for every fish session'],
  ],
  async run(args, { env, stdout }) {
    const shell = args['shell'] === undefined ? basename(env['SHELL'] ?? '') : String(args['shell']);
    const script = SCRIPTS[shell];
    if (script === undefined) {
      throw usageError(`no completion for the shell "${shell}": name one, as tickhaul completion bash`);
    }
    stdout.write(script);
    return 0;
  },
};
