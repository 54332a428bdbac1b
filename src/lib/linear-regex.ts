/**
 * A regular expression whose test takes time in proportion to the text, whatever the pattern. JavaScript's own can take
 * for ever, so a pattern and a text of strangers could stop the process. It reads the common syntax of RE2: characters,
 * `.`, classes, groups, `|`, `*`, `+`, `?`, `{m,n}`, `^` and `$`. Like RE2's it searches the text for a match.
 */
export class LinearRegex {
  readonly #program: readonly Step[];

  private constructor(program: readonly Step[]) {
    this.#program = program;
  }

  /** Undefined for a pattern that is invalid, too large, or uses rarer syntax. */
  static read(pattern: string): LinearRegex | undefined {
    try {
      const steps = new Reader(pattern).read();
      return new LinearRegex([...steps, { type: "match" }]);
    } catch (thrown) {
      if (thrown instanceof UnreadablePattern) return undefined;
      throw thrown;
    }
  }

  test(text: string): boolean {
    let states = new Set<number>();
    for (let at = 0; at <= text.length; at += 1) {
      // A match may begin anywhere.
      this.#follow(0, states, at, text.length);
      if ([...states].some((state) => this.#program[state]?.type === "match")) return true;
      const next = new Set<number>();
      const character = text[at];
      if (character === undefined) return false;
      for (const state of states) {
        const step = this.#program[state];
        if (step?.type === "one" && step.holds(character)) this.#follow(state + 1, next, at + 1, text.length);
      }
      states = next;
    }
    return false;
  }

  /** Adds a state and all states that are reached from it without a character. */
  #follow(first: number, states: Set<number>, at: number, length: number): void {
    const waiting = [first];
    for (let state = waiting.pop(); state !== undefined; state = waiting.pop()) {
      if (states.has(state)) continue;
      states.add(state);
      const step = this.#program[state];
      if (step?.type === "split") for (const offset of step.offsets) waiting.push(state + offset);
      else if ((step?.type === "begin" && at === 0) || (step?.type === "end" && at === length)) waiting.push(state + 1);
    }
  }
}

type Step =
  | { readonly type: "one"; readonly holds: (character: string) => boolean }
  /** Goes on at each of these places, counted from here. */
  | { readonly type: "split"; readonly offsets: readonly number[] }
  | { readonly type: "begin" | "end" | "match" };

class UnreadablePattern extends Error {}

const maxSteps = 4000;
const classes: Readonly<Record<string, RegExp>> = {
  d: /[0-9]/u,
  D: /[^0-9]/u,
  w: /[0-9A-Za-z_]/u,
  W: /[^0-9A-Za-z_]/u,
  s: /[\t\n\f\r ]/u,
  S: /[^\t\n\f\r ]/u,
};

class Reader {
  readonly #pattern: string;
  #at = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  read(): readonly Step[] {
    const steps = this.#alternatives();
    if (this.#at < this.#pattern.length) throw new UnreadablePattern();
    return steps;
  }

  #alternatives(): readonly Step[] {
    let steps = this.#sequence();
    while (this.#take("|")) {
      const other = this.#sequence();
      steps = limited([split(1, steps.length + 2), ...steps, split(other.length + 1), ...other]);
    }
    return steps;
  }

  #sequence(): readonly Step[] {
    let steps: readonly Step[] = [];
    while (this.#at < this.#pattern.length && !this.#sees("|") && !this.#sees(")")) {
      steps = limited([...steps, ...this.#repeated(this.#item())]);
    }
    return steps;
  }

  #item(): readonly Step[] {
    const character = this.#next();
    switch (character) {
      case "(": {
        if (this.#take("?") && !this.#take(":")) throw new UnreadablePattern();
        const steps = this.#alternatives();
        if (!this.#take(")")) throw new UnreadablePattern();
        return steps;
      }
      case "[":
        return [this.#set()];
      case ".":
        return [one((each) => each !== "\n")];
      case "^":
        return [{ type: "begin" }];
      case "$":
        return [{ type: "end" }];
      case "\\":
        return [one(this.#escaped())];
      case "*":
      case "+":
      case "?":
        throw new UnreadablePattern();
      default:
        return [one((each) => each === character)];
    }
  }

  #escaped(): (character: string) => boolean {
    const character = this.#next();
    const known = classes[character];
    if (known !== undefined) return (each) => known.test(each);
    if (/[0-9A-Za-z]/u.test(character)) throw new UnreadablePattern();
    return (each) => each === character;
  }

  #set(): Step {
    const negated = this.#take("^");
    const tests: ((character: string) => boolean)[] = [];
    while (tests.length === 0 || !this.#sees("]")) {
      const first = this.#next();
      if (first === "[" && this.#sees(":")) throw new UnreadablePattern();
      if (first === "\\") tests.push(this.#escaped());
      else if (this.#sees("-") && this.#pattern[this.#at + 1] !== "]") {
        this.#next();
        const last = this.#next();
        if (last === "\\" || last < first) throw new UnreadablePattern();
        tests.push((each) => each >= first && each <= last);
      } else tests.push((each) => each === first);
    }
    this.#next();
    return one((each) => tests.some((test) => test(each)) !== negated);
  }

  #repeated(item: readonly Step[]): readonly Step[] {
    const [least, most] = this.#counts();
    // A lazy count finds the same texts.
    this.#take("?");
    if (least === 1 && most === 1) return item;
    const needed = Array.from({ length: least }, () => item).flat();
    if (most === Number.POSITIVE_INFINITY) {
      return limited([...needed, split(1, item.length + 2), ...item, split(-item.length - 1)]);
    }
    const optional = Array.from({ length: most - least }, () => [split(1, item.length + 1), ...item]).flat();
    return limited([...needed, ...optional]);
  }

  #counts(): readonly [number, number] {
    if (this.#take("*")) return [0, Number.POSITIVE_INFINITY];
    if (this.#take("+")) return [1, Number.POSITIVE_INFINITY];
    if (this.#take("?")) return [0, 1];
    const [text, least, comma, most] = /^\{(\d{1,3})(,?)(\d{0,3})\}/u.exec(this.#pattern.slice(this.#at)) ?? [];
    if (text === undefined) return [1, 1];
    this.#at += text.length;
    if (comma === "") return [Number(least), Number(least)];
    const bound = most === "" ? Number.POSITIVE_INFINITY : Number(most);
    if (bound < Number(least)) throw new UnreadablePattern();
    return [Number(least), bound];
  }

  #sees(character: string): boolean {
    return this.#pattern[this.#at] === character;
  }

  #take(character: string): boolean {
    if (!this.#sees(character)) return false;
    this.#at += 1;
    return true;
  }

  #next(): string {
    const character = this.#pattern[this.#at];
    if (character === undefined) throw new UnreadablePattern();
    this.#at += 1;
    return character;
  }
}

function one(holds: (character: string) => boolean): Step {
  return { type: "one", holds };
}

function split(...offsets: readonly number[]): Step {
  return { type: "split", offsets };
}

function limited(steps: readonly Step[]): readonly Step[] {
  if (steps.length > maxSteps) throw new UnreadablePattern();
  return steps;
}
