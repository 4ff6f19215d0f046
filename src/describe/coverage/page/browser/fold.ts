/** A period without data that a chart shows shortened. */
export interface Hole {
  /** First and last day without data. */
  readonly first: number;
  readonly last: number;
  /** Start and end on the axis, in days. */
  readonly start: number;
  readonly end: number;
}

/** An axis of days on which long holes are shortened, to leave room for the days with data. */
export interface FoldedAxis {
  readonly holes: readonly Hole[];
  /** Position of a day outside the holes, or of the first day of a hole. */
  position(day: number): number;
  /** The day at a position; in a hole its first day. */
  dayAt(position: number): number;
  /** Positions of labels in a range, about `step` apart and at least half of it. */
  ticks(from: number, to: number, step: number): readonly number[];
}

/** Shorter holes are not folded. */
const MIN_HOLE_DAYS = 60;
/** A hole is folded if it has more than this many times the days with data, which would get a tenth of the axis. */
const MAX_HOLE_RATIO = 9;
/** Width of a folded hole, relative to the number of days with data. */
const FOLDED_RATIO = 0.2;

/** Whether a hole is long enough to be folded. @param daysWithData total number of days with data. */
export function isLongHole(days: number, daysWithData: number): boolean {
  return days > Math.max(MIN_HOLE_DAYS, MAX_HOLE_RATIO * daysWithData);
}

/** Creates the axis. @param days with data, ascending. */
export function foldHoles(days: readonly number[]): FoldedAxis {
  const width = Math.max(1, Math.round(days.length * FOLDED_RATIO));
  const holes: Hole[] = [];
  let removed = 0;
  for (const [index, day] of days.entries()) {
    const first = (days[index - 1] ?? day) + 1;
    const hidden = day - first;
    if (!isLongHole(hidden, days.length)) continue;
    const start = first - removed;
    holes.push({ first, last: day - 1, start, end: start + width });
    removed += hidden - width;
  }
  const position = (day: number): number => {
    const hole = holes.findLast(({ first }) => first <= day);
    if (!hole) return day;
    return day > hole.last ? hole.end + day - hole.last - 1 : hole.start;
  };
  const dayAt = (position: number): number => {
    const hole = holes.findLast(({ start }) => start <= position);
    if (!hole) return Math.floor(position);
    return position >= hole.end ? hole.last + 1 + Math.floor(position - hole.end) : hole.first;
  };
  return {
    holes,
    position,
    dayAt,
    ticks(from, to, step) {
      const starts = [days[0] ?? 0, ...holes.map(({ last }) => last + 1)].map(position);
      const ticks: number[] = [];
      for (const [index, start] of starts.entries()) {
        const stop = holes[index]?.start ?? Number.POSITIVE_INFINITY;
        // Each part starts with a label if it fits, and leaves room for the first label of the next part.
        for (let at = start; at <= to && (at === start || at + step / 2 < stop); at += step)
          if (at >= from && at - (ticks.at(-1) ?? Number.NEGATIVE_INFINITY) >= step / 2) ticks.push(at);
      }
      return ticks;
    },
  };
}
