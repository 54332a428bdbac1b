import type { PathStep } from "../../../../src/config/field-path.ts";
import type { IssueCode } from "../../../../src/config/issue-codes.ts";
import { isMapping } from "../../../../src/lib/is-mapping.ts";

/** Values of a field, in words and as a condition. */
export interface Values {
  readonly said: string;
  /** Gets the value, its key or index, and the object with all parts around the value, from outside to inside. */
  readonly hold: (value: unknown, key: PathStep, around: readonly unknown[]) => boolean;
}

/** Binnacle refuses objects that istioctl accepts. */
export interface OursOnly {
  readonly type: "ours";
  readonly kinds: readonly string[] | "all";
  readonly code: IssueCode;
  /** Paths below `spec`. `[]` is an index, `*` a key, and `**` any number of steps. */
  readonly fields: readonly string[];
  readonly values: Values;
  readonly reason: string;
}

/** The official command refuses objects that Binnacle accepts. */
interface TheirsOnly {
  readonly type: "theirs";
  readonly kinds: readonly string[];
  readonly message: RegExp;
  /** The refused objects, in words. */
  readonly said: string;
  readonly reason: string;
}

export type KnownDifference = OursOnly | TheirsOnly;

/** A text with a property. */
export function text(said: string, form: RegExp): Values {
  return { said, hold: (value) => typeof value === "string" && form.test(value) };
}

/** A text with a property that is no pattern. */
export function textThat(said: string, isOdd: (text: string) => boolean): Values {
  return { said, hold: (value) => typeof value === "string" && isOdd(value) };
}

/** An entry of a mapping by its key, or an element of a list. */
export function name(said: string, isOdd: (name: string) => boolean): Values {
  return { said, hold: (value, key) => isOdd(typeof key === "string" ? key : String(value)) };
}

export function longerThan(bytes: number): Values {
  return textThat(`more than ${bytes} bytes`, (each) => Buffer.byteLength(each) > bytes);
}

/** A number outside of a range. The absence of a number is zero. */
export function outside(least: number, most: number): Values {
  const said = `below ${least} or above ${most}`;
  return { said, hold: (value) => !(Number(value ?? 0) >= least && Number(value ?? 0) <= most) };
}

/** A duration in seconds with a property. Negative ones have a minus sign. */
export function duration(said: string, isOdd: (seconds: number) => boolean): Values {
  return {
    said,
    hold: (value) => typeof value === "string" && value.endsWith("s") && isOdd(Number(value.slice(0, -1))),
  };
}

/** A mapping with a property. */
export function mapping(said: string, isOdd: (fields: Fields) => boolean): Values {
  return { said, hold: (value) => isOdd(fieldsOf(value)) && isMapping(value) };
}

/** A value beside others: the mapping with the value has a property. */
export function beside(said: string, isOdd: (fields: Fields) => boolean): Values {
  return { said, hold: (_, __, around) => isOdd(fieldsOf(around.at(-1))) };
}

type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(value: unknown): Fields {
  return isMapping(value) ? value : {};
}

/** Whether a text or a list has content. */
export function isSet(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== "";
}
