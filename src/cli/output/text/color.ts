import { Chalk, type ChalkInstance } from 'chalk';
import type { OutputScreen } from './screen.js';

type Env = Readonly<Record<string, string | undefined>>;
type Level = 0 | 1 | 2 | 3;

/** A chalk with the colours that flag, environment and terminal allow. */
export function createChalk(screen: OutputScreen, env: Env, noColor: boolean): ChalkInstance {
  return new Chalk({ level: chooseColorLevel(screen, env, noColor) });
}

/**
 * The colour level: 0 none, 1 sixteen, 2 256, 3 all. The flag overrides NO_COLOR (no-color.org: any value but the empty
 * one), which overrides FORCE_COLOR (0 to 3, true, false), which overrides the terminal.
 */
export function chooseColorLevel(screen: OutputScreen, env: Env, noColor: boolean): Level {
  if (noColor || (env['NO_COLOR'] ?? '') !== '') return 0;
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined) return parseForcedLevel(forced);
  if (screen.isTTY !== true || env['TERM'] === 'dumb') return 0;
  if (/^(truecolor|24bit)$/.test(env['COLORTERM'] ?? '')) return 3;
  return /-256(color)?$/.test(env['TERM'] ?? '') ? 2 : 1;
}

function parseForcedLevel(text: string): Level {
  if (text === 'false') return 0;
  return /^[0-3]$/.test(text) ? (Number(text) as Level) : 1;
}
