import { setMaxListeners } from 'node:events';
import { type Inputs, openInputs } from '../../replay/inputs.js';
import { openReplay } from '../../replay/open.js';
import { type MergeOptions, mergeLines } from '../../replay/replay.js';
import type { ReplaySeries } from '../../replay/types.js';
import type { NormalizedOptions } from '../request/normalized-options.js';
import type { Serving } from '../serving.js';

const NO_DISCONNECTS = "withDisconnectMessages: day files don't know when a connection broke; none are sent";

/** From day files; those that are missing are downloaded first. */
export async function replayDayFiles(
  serving: Serving,
  options: readonly NormalizedOptions[],
  target: Omit<MergeOptions, 'speed'>,
): Promise<void> {
  const { signal } = target;
  setMaxListeners(0, signal);
  if (options.some(({ withDisconnects }) => withDisconnects)) serving.warnOnce(NO_DISCONNECTS);
  const series: (readonly ReplaySeries[])[] = [];
  for (const option of options) series.push(await openSeries(serving, option, signal));
  const opened: Inputs[] = [];
  for (const [at, { period }] of options.entries()) {
    opened.push(await openInputs(series[at] ?? [], period, signal));
  }
  const inputs = {
    lines: opened.flatMap(({ lines }) => lines),
    close: async () => void (await Promise.all(opened.map((one) => one.close()))),
  };
  await mergeLines(inputs, target);
}

/** One exchange's requests in turns: what one of them downloads is there for the next. */
function openSeries(
  { options: { dayFiles, feeds, records }, emit, downloads }: Serving,
  { exchange, symbols, types, period }: NormalizedOptions,
  signal: AbortSignal,
): Promise<readonly ReplaySeries[]> {
  return downloads.run(exchange, signal, () =>
    openReplay({
      request: { options: [{ exchange, symbols }], types, period },
      client: feeds.client,
      cache: records,
      options: dayFiles.options,
      layout: dayFiles.layout,
      offline: feeds.offline,
      owner: dayFiles.owner(),
      emit,
      onDownloaded: () => {},
      signal,
    }),
  );
}
