import { basename } from 'node:path';
import { usageError } from '../../base/errors.js';
import { defineCommand } from '../arguments/define-flags.js';
import { SCRIPTS } from '../completion/shells.js';

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
