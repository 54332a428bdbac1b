/** A token of RE2's notation: a counted repetition, the begin of a group, a class, an escape, or a character. */
const tokens =
  /\{(?<least>\d{1,8})(?:,(?<most>\d{0,8}))?\}|(?<group>\(\?(?:P?<\w*>|[a-zA-Z-]*[:)]?)|\()|\[\^?\]?(?:\[:\^?\w+:\]|\\[^]|[^\]\\])*\]|\\Q(?<literal>[^]*?)(?:\\E|$)|\\[pPx]\{[^}]*\}|\\[^]|[^]/gu;

/** More than RE2 takes; a larger number changes nothing. */
const maxCount = 1001;

/** An expression, or a part of one, with its counted repetitions written out. */
export interface Unrolled {
  /** Roughly how many characters it has. */
  readonly length: number;
  /** How often its most repeated character is written, as RE2 counts: a count of zero is passed over. */
  readonly copies: number;
}

/**
 * What becomes of an expression when its counted repetitions are written out. A kilobyte of text can stand for a million
 * characters, which take seconds and hundreds of megabytes to compile: whoever compiles looks at this first.
 */
export function unroll(pattern: string): Unrolled {
  /** The groups that are open, the outermost first. */
  const open: Unrolled[] = [nothing];
  /** What a repetition would repeat. */
  let last = nothing;
  const add = (part: Unrolled): void => {
    open.push(joined(open.pop() ?? nothing, part));
    last = part;
  };
  for (const { 0: token, groups = {} } of pattern.matchAll(tokens)) {
    const { least, most, group, literal } = groups;
    if (least !== undefined) {
      const count = Math.min(Math.max(Number(least), Number(most ?? 0)), maxCount);
      const repeated = { length: last.length * count, copies: last.copies * Math.max(count, 1) };
      add({ length: repeated.length - last.length, copies: repeated.copies });
      last = repeated;
    } else if (group !== undefined && !group.endsWith(")")) open.push(nothing);
    else if (token === ")" && open.length > 1) add(open.pop() ?? nothing);
    else if (literal !== undefined) add({ length: literal.length, copies: 1 });
    else if (!"|*+?".includes(token) && group === undefined) add({ length: 1, copies: 1 });
  }
  return open.reduce(joined);
}

const nothing: Unrolled = { length: 0, copies: 1 };

function joined(a: Unrolled, b: Unrolled): Unrolled {
  return { length: a.length + b.length, copies: Math.max(a.copies, b.copies) };
}
