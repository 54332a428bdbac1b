/** A token of RE2's notation: a counted repetition, the begin of a group, a class, an escape, or a character. */
export const tokens =
  /\{(?<least>\d{1,8})(?:,(?<most>\d{0,8}))?\}|(?<group>\(\?(?:P?<\w*>|[a-zA-Z-]*[:)]?)|\()|\[\^?\]?(?:\[:\^?\w+:\]|\\[^]|[^\]\\])*\]|\\Q(?<literal>[^]*?)(?:\\E|$)|\\[pPx]\{[^}]*\}|\\[pP]\w|\\[^]|[^]/gu;

/** Above RE2's limit. A larger number changes nothing. */
const maxCount = 1001;

/** An expression, or a part of one, with its counted repetitions written out. */
export interface Unrolled {
  /** Approximate number of characters. */
  readonly length: number;
  /** Copies of the most repeated character, as RE2 counts: a count of zero is ignored. */
  readonly copies: number;
  /** Bytes of characters before their last byte. If Envoy reads bytes, a repetition applies to the last byte only. */
  readonly leadingBytes: number;
}

/**
 * Measures an expression with its counted repetitions expanded. A kilobyte of text can expand to a million characters,
 * which take seconds and hundreds of megabytes to compile. Callers check this before they compile.
 */
export function unroll(pattern: string): Unrolled {
  /** The open groups, the outermost first. */
  const open: Unrolled[] = [nothing];
  /** The operand of a following repetition. */
  let last = nothing;
  const add = (part: Unrolled): void => {
    open.push(joined(open.pop() ?? nothing, part));
    last = part;
  };
  for (const { 0: token, groups = {} } of pattern.matchAll(tokens)) {
    const { least, most, group, literal } = groups;
    if (least !== undefined) {
      const count = Math.min(Math.max(Number(least), Number(most ?? 0)), maxCount);
      const repeated = {
        length: last.length * count,
        copies: last.copies * Math.max(count, 1),
        leadingBytes: last.leadingBytes * count,
      };
      add({
        ...repeated,
        length: repeated.length - last.length,
        leadingBytes: repeated.leadingBytes - last.leadingBytes,
      });
      last = repeated;
    } else if (group !== undefined && !group.endsWith(")")) open.push(nothing);
    else if (token === ")" && open.length > 1) add(open.pop() ?? nothing);
    else if (literal !== undefined) add({ ...leadingBytesOf(literal), length: literal.length });
    else if (!"|*+?".includes(token) && group === undefined) {
      add(leadingBytesOf(token));
      add({ length: 1, copies: 1, leadingBytes: 0 });
    }
  }
  return open.reduce(joined);
}

const nothing: Unrolled = { length: 0, copies: 1, leadingBytes: 0 };

function leadingBytesOf(token: string): Unrolled {
  return { length: 0, copies: 1, leadingBytes: Buffer.byteLength(token) - Array.from(token).length };
}

function joined(a: Unrolled, b: Unrolled): Unrolled {
  return {
    length: a.length + b.length,
    copies: Math.max(a.copies, b.copies),
    leadingBytes: a.leadingBytes + b.leadingBytes,
  };
}
