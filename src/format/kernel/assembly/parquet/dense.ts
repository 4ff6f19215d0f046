// Removes nulls from columns, as Parquet stores them, in place.

/** Removes nulls from values of `size` bytes each; returns the number of remaining values. */
export function dropNulls(values: usize, nulls: usize, rows: i32, size: i32): i32 {
  if (size == 8) return dropValues<u64>(values, nulls, rows);
  return size == 4 ? dropValues<u32>(values, nulls, rows) : dropValues<u8>(values, nulls, rows);
}

function dropValues<T>(values: usize, nulls: usize, rows: i32): i32 {
  let to = values;
  for (let row = 0; row < rows; row++) {
    store<T>(to, load<T>(values + <usize>row * sizeof<T>()));
    to += load<u8>(nulls + row) == 0 ? sizeof<T>() : 0;
  }
  return <i32>((to - values) / sizeof<T>());
}

/** Removes nulls from the offsets of texts. A null has no bytes, so only its offset is removed. */
export function dropNullTexts(offsets: usize, nulls: usize, rows: i32): i32 {
  const end = load<i32>(offsets + (<usize>rows << 2));
  const count = dropValues<u32>(offsets, nulls, rows);
  store<i32>(offsets + (<usize>count << 2), end);
  return count;
}

/** Widens bytes of 0 and 1 to 32-bit values; inverted if `flip` is 1. */
export function widenBits(bytes: usize, out: usize, count: i32, flip: i32): void {
  const flips = i8x16.splat(<i8>flip);
  for (let i: i32 = 0; i < count; i += 16) {
    const bits = v128.xor(v128.load(bytes + i), flips);
    const low = i16x8.extend_low_i8x16_u(bits);
    const high = i16x8.extend_high_i8x16_u(bits);
    const to = out + (<usize>i << 2);
    v128.store(to, i32x4.extend_low_i16x8_u(low));
    v128.store(to, i32x4.extend_high_i16x8_u(low), 16);
    v128.store(to, i32x4.extend_low_i16x8_u(high), 32);
    v128.store(to, i32x4.extend_high_i16x8_u(high), 48);
  }
}

/** Counts the bytes that are 1. */
export function countOnes(bytes: usize, count: i32): i32 {
  let ones = 0;
  for (let i: i32 = 0; i < count; i++) ones += load<u8>(bytes + i);
  return ones;
}
