/** Byte ranges that match one stretch of code points as UTF-8, first byte first. */
type ByteRanges = readonly (readonly [low: number, high: number])[];

const maxRune = 0x10_ff_ff;

/**
 * Instructions that RE2 needs to match one character of a class. RE2 works on bytes: `[a-z]` is one byte range, `.` is
 * nine, `\pL` more than a thousand. Stretches that begin with the same bytes share them, and so do those that end with
 * the same byte ranges.
 *
 * @param runes pairs of first and last code point, in order.
 */
export function classSize(runes: Int32Array): number {
  const stretches: ByteRanges[] = [];
  let size = 0;
  for (const [low, high] of rangesOf(runes)) {
    if (low <= 0x80 && high === maxRune) size += allBeyondAscii;
    splitByLength(low, low <= 0x80 && high === maxRune ? 0x7f : high, stretches);
  }
  const tails = new Set<string>();
  return size + prefixSize(stretches, 0, tails) + tails.size;
}

/** U+0080 to the last code point: three first bytes, and three shared continuation bytes. */
const allBeyondAscii = 6;

function* rangesOf(runes: Int32Array): Generator<readonly [number, number]> {
  const folds = foldsAscii(runes);
  for (let at = 0; at < runes.length; at += 2) {
    const low = runes[at] ?? 0;
    const high = runes[at + 1] ?? low;
    if (!(folds && low >= 0x41 && high <= 0x5a)) yield [low, high];
  }
}

/** If a class contains both cases of its ASCII letters, one instruction matches both. */
function foldsAscii(runes: Int32Array): boolean {
  for (let upper = 0x41; upper <= 0x5a; upper += 1) if (has(runes, upper) !== has(runes, upper + 0x20)) return false;
  return true;
}

function has(runes: Int32Array, rune: number): boolean {
  for (let at = 0; at < runes.length; at += 2) {
    if (rune >= (runes[at] ?? 0) && rune <= (runes[at + 1] ?? 0)) return true;
  }
  return false;
}

/** The last code points of one, two and three bytes. */
const lastOfLength = [0x7f, 0x7_ff, 0xff_ff];

function splitByLength(low: number, high: number, stretches: ByteRanges[]): void {
  let from = low;
  for (const last of [...lastOfLength, maxRune]) {
    if (from > high) return;
    if (from <= last) splitByPrefix(from, Math.min(high, last), stretches);
    from = Math.max(from, last + 1);
  }
}

/** Splits a range into stretches in which every byte covers one byte range. */
function splitByPrefix(low: number, high: number, stretches: ByteRanges[]): void {
  if (high <= 0x7f) return void stretches.push([[low, high]]);
  for (const bits of [6, 12, 18]) {
    const mask = 2 ** bits - 1;
    if (low >> bits === high >> bits) continue;
    if ((low & mask) !== 0) {
      splitByPrefix(low, low | mask, stretches);
      return splitByPrefix((low | mask) + 1, high, stretches);
    }
    if ((high & mask) !== mask) {
      splitByPrefix(low, (high & ~mask) - 1, stretches);
      return splitByPrefix(high & ~mask, high, stretches);
    }
  }
  const last = utf8(high);
  stretches.push(utf8(low).map((byte, index) => [byte, last[index] ?? byte]));
}

const encoder = new TextEncoder();

/** Like {@link TextEncoder}, except that surrogates have three bytes like their neighbours. */
function utf8(rune: number): readonly number[] {
  if (rune < 0xd8_00 || rune > 0xdf_ff) return [...encoder.encode(String.fromCodePoint(rune))];
  return [0xe0 | (rune >> 12), 0x80 | ((rune >> 6) & 0x3f), 0x80 | (rune & 0x3f)];
}

/** Neighbours with the same byte range at `depth` share its instruction; `tails` collects the shared ends. */
function prefixSize(stretches: readonly ByteRanges[], depth: number, tails: Set<string>): number {
  let size = 0;
  for (let first = 0; first < stretches.length; ) {
    const head = stretches[first] ?? [];
    let end = first + 1;
    while (end < stretches.length && sameRange(head, stretches[end] ?? [], depth)) end += 1;
    size +=
      end - first === 1 ? ownSize(head, depth, tails) : 1 + prefixSize(stretches.slice(first, end), depth + 1, tails);
    first = end;
  }
  return size;
}

function sameRange(a: ByteRanges, b: ByteRanges, depth: number): boolean {
  return a[depth]?.[0] === b[depth]?.[0] && a[depth]?.[1] === b[depth]?.[1];
}

/**
 * All stretches with the same last byte range share it. They also share the ranges before it, if each covers several
 * bytes. An alternative that is shared as a whole still costs a jump.
 */
function ownSize(stretch: ByteRanges, depth: number, tails: Set<string>): number {
  let at = stretch.length - 1;
  let tail = "";
  for (; at >= depth; at -= 1) {
    const [low, high] = stretch[at] ?? [0, 0];
    const isShared = stretch.length > 1 && (at === stretch.length - 1 || (low < high && at !== 0));
    if (!isShared) break;
    tail = `${low}-${high} ${tail}`;
    tails.add(tail);
  }
  return Math.max(at - depth + 1, 1);
}
