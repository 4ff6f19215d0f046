import type { LineSink } from '../replay/line-writer.js';
import type { RunSummary } from '../run/events.js';
import type { Args } from './arguments/args.js';
import { readPath, readToggle } from './arguments/read.js';
import type { Host } from './host.js';
import { lockOwner } from './lock-owner.js';
import type { Teller } from './run.js';
import { readReplayRequest, readSpeed } from './selection/replay.js';
import { readDownloadOptions, readLayout, readStallTimeout } from './selection/selection.js';
import { withSession } from './session.js';

/** What was written so far. */
export interface Written {
  messages: number;
  bytes: number;
}

/** Who takes the messages of a replay, and hears of the download of what is missing. */
export interface ReplayTeller extends Teller {
  readonly onDownloaded: (summary: RunSummary) => void;
  /** For the lines, where no file is to have them. */
  readonly output: LineSink;
  /** Counted up. */
  readonly written: Written;
}

/** The messages of a period (contract, Replay). @throws usage error. */
export async function prepareReplay(
  args: Args,
  host: Host,
): Promise<(teller: ReplayTeller) => Promise<void>> {
  const { signal } = host;
  const request = await readReplayRequest(args, signal);
  const speed = readSpeed(args);
  const out = readPath(args, 'out') ?? '-';
  const stallTimeoutMs = readStallTimeout(args);
  const layout = readLayout(args);
  return async ({ emit, note, onDownloaded, output, written }) => {
    const series = await withSession(args, host, { stallTimeoutMs, note }, async (session) => {
      const { openReplay } = await import('../replay/open.js');
      return openReplay({
        request,
        client: session.client,
        cache: session.settings.cacheDir,
        options: readDownloadOptions(args, session.settings.downloadDir),
        layout,
        offline: readToggle(args, 'offline'),
        owner: lockOwner(host),
        emit,
        onDownloaded,
        signal,
      });
    });
    const { replay } = await import('../replay/replay.js');
    const input = { series, period: request.period, speed, written, signal };
    if (out === '-') return replay({ ...input, output });
    const { toFile } = await import('../replay/output.js');
    return toFile(out, (file) => replay({ ...input, output: file }));
  };
}
