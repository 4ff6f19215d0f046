/** A stretch without data that a chart shows shorter than it is. */
export interface Hole {
  /** The first and the last day without data. */
  readonly first: number;
  readonly last: number;
  /** Where it begins and ends on the axis, in days. */
  readonly start: number;
  readonly end: number;
}

/** An axis of days on which long holes are folded, so that what lies beside them has room. */
export interface FoldedAxis {
  readonly holes: readonly Hole[];
  /** Of a day outside the holes, or the first of one. */
  position(day: number): number;
  /** The day at a position; in a hole, its first. */
  dayAt(position: number): number;
  /** Days to be labelled in a range of positions, about `step` positions apart and no nearer than half of it. */
  ticks(from: number, to: number, step: number): readonly number[];
}

/** A hole of fewer days is shown as it is. */
const MIN_HOLE_DAYS = 60;
/** So many times the days with data leave each of these a tenth of the axis, all together. */
const MAX_HOLE_RATIO = 9;
/** Width of a folded hole, as a part of the days with data. */
const FOLDED_RATIO = 0.2;

/** Whether days between two days with data are a long hole. @param shown all days with data. */
export function isLongHole(days: number, shown: number): boolean {
  return days > Math.max(MIN_HOLE_DAYS, MAX_HOLE_RATIO * shown);
}

/** @param days with data, in order. */
export function foldHoles(days: readonly number[]): FoldedAxis {
  const width = Math.max(1, Math.round(days.length * FOLDED_RATIO));
  const holes: Hole[] = [];
  let cut = 0;
  for (const [index, day] of days.entries()) {
    const first = (days[index - 1] ?? day) + 1;
    const hidden = day - first;
    if (!isLongHole(hidden, days.length)) continue;
    const start = first - cut;
    holes.push({ first, last: day - 1, start, end: start + width });
    cut += hidden - width;
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
        // A part begins with a label where there is room, and leaves room for that of the next one.
        for (let at = start; at <= to && (at === start || at + step / 2 < stop); at += step)
          if (at >= from && at - (ticks.at(-1) ?? Number.NEGATIVE_INFINITY) >= step / 2) ticks.push(at);
      }
      return ticks;
    },
  };
}
