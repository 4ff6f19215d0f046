/** Random numbers from 0 to 1, equal for the same seed (mulberry32), with derived distributions. */
export function randomOf(seed) {
  let state = seed;
  const random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const exponential = (mean) => -Math.log(1 - random()) * mean;
  return {
    chance: (probability) => random() < probability,
    /** An integer below `count`. */
    pick: (count) => Math.floor(random() * count),
    exponential,
    /** Mean 0, deviation 1 (Box and Muller). */
    normal: () => Math.sqrt(exponential(2)) * Math.cos(2 * Math.PI * random()),
    word: () => Math.floor(random() * 2 ** 32),
  };
}

/** Some sizes repeat, as programs send them, and change during the day; the others are random. */
export function amountsOf({ chance, exponential, normal }, { usual, median, deviation }) {
  const draw = () => Math.max(1, Math.round(median * Math.exp(normal() * deviation)));
  const sizes = Array.from({ length: 60 }, draw);
  return () => {
    if (!chance(usual)) return draw();
    const at = Math.min(sizes.length - 1, Math.floor(exponential(12)));
    if (chance(0.002)) sizes[at] = draw();
    return sizes[at];
  };
}

/** Plain digits, without exponent or trailing zeros: 459 with 8 places is 0.00000459. */
export function decimal(value, places) {
  if (value === 0) return '0';
  const digits = String(Math.abs(value)).padStart(places + 1, '0');
  let end = digits.length;
  while (end > digits.length - places && digits[end - 1] === '0') end--;
  const point = digits.length - places;
  return `${value < 0 ? '-' : ''}${digits.slice(0, point)}${end > point ? `.${digits.slice(point, end)}` : ''}`;
}
