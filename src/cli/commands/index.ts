import type { Command } from '../types.js';
import { completion } from './completion.js';
import { convert } from './convert.js';
import { demo } from './demo.js';
import { download } from './download.js';
import { exchanges } from './exchanges.js';
import { inspect } from './inspect.js';
import { plan } from './plan.js';
import { sandbox } from './sandbox.js';
import { status } from './status.js';
import { symbols } from './symbols.js';

/** Every subcommand, in the order of the help text. */
export const COMMANDS: readonly Command[] = [
  exchanges,
  symbols,
  status,
  plan,
  download,
  convert,
  inspect,
  sandbox,
  demo,
  completion,
];
