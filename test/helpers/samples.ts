import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Beginnings of real day files, in a folder beside the checkout; they are not part of the project. */
export const SAMPLES_DIR = fileURLToPath(new URL('../../../../shared/data', import.meta.url));

/** Their names; empty if the folder is missing. */
export const SAMPLES: readonly string[] = existsSync(SAMPLES_DIR)
  ? readdirSync(SAMPLES_DIR).filter((name) => name.endsWith('.csv'))
  : [];

/** Why tests that need them are skipped; false if they exist. */
export const NO_SAMPLES = SAMPLES.length === 0 && 'the real samples are not here';
