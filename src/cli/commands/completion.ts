import { basename } from 'node:path';
import { usageError } from '../../base/errors.js';
import type { CommandAction } from '../arguments/command.js';
import { SCRIPTS } from '../completion/scripts.js';

export const completionCommand: CommandAction = {
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
