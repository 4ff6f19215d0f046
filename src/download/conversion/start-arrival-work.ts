import type { PlannedFile } from '../download-options.js';
import type { ArrivalWork } from '../file/transfer-context.js';
import type { DayFileConversion } from './conversions.js';

/**
 * Starts the conversion and the audit of a day file, which take the same text.
 * @returns undefined if there is neither.
 */
export function startArrivalWork(
  { conversions, audits }: ArrivalWork,
  planned: PlannedFile,
): DayFileConversion | undefined {
  const conversion = conversions?.start(planned);
  const audit = audits?.start(planned);
  if (!audit) return conversion;
  return {
    textSink() {
      const convert = conversion?.textSink();
      const check = audit.textSink();
      return async (text) => {
        await Promise.all([convert?.(text), check(text)]);
      };
    },
    async finish(proof) {
      const outcome = await conversion?.finish(proof);
      await audit.finish(proof);
      return outcome;
    },
    async end() {
      await Promise.all([conversion?.end(), audit.end()]);
    },
  };
}
