import { parseDuration } from "../config/duration.ts";
import { parseAddress } from "../transport/address.ts";

/** How the texts given for an option become its value; undefined when they cannot. Of a repeated one the last counts. */
export interface ValueType<T> {
  /** What stands for the value in `--help`. */
  readonly placeholder: string;
  /** Completes "expected …". */
  readonly expected: string;
  parse(texts: readonly string[]): T | undefined;
}

export function text(placeholder: string): ValueType<string> {
  return { placeholder, expected: "a text", parse: (texts) => texts.at(-1) };
}

export function list(placeholder: string): ValueType<readonly string[]> {
  return { placeholder, expected: "texts", parse: (texts) => texts };
}

export const address: ValueType<string> = {
  placeholder: "ADDR",
  expected: "HOST:PORT, :PORT or off",
  parse(texts) {
    const last = texts.at(-1) ?? "";
    return parseAddress(last) === undefined ? undefined : last;
  },
};

export const durationMs: ValueType<number> = {
  placeholder: "DURATION",
  expected: "a duration such as 250ms, 5s or 1m",
  parse(texts) {
    const nanos = parseDuration(texts.at(-1) ?? "");
    return nanos === undefined || nanos < 0n ? undefined : Number(nanos) / 1_000_000;
  },
};

export function oneOf<T extends string>(choices: readonly T[]): ValueType<T> {
  return {
    placeholder: choices.join("|"),
    expected: `one of ${choices.join(", ")}`,
    parse: (texts) => choices.find((choice) => choice === texts.at(-1)),
  };
}
