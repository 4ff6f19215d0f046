import type { RunSummary } from '../events/run-events.js';
import type { RunObserver } from './context.js';

export type { RunObserver };

/** A run with valid options that has sent no request and changed nothing yet. */
export type CommandRun = (observer: RunObserver) => Promise<RunSummary>;
