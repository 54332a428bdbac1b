import { type Argument, readArguments } from "../../app/options/flags.ts";
import { MeshError } from "../../lib/errors.ts";
import type { DocumentedFlag } from "../command.ts";

/** The parsed command line. */
export interface ReadFlags {
  /** All arguments, in their order. */
  readonly arguments: readonly Argument[];
  readonly positionals: readonly string[];
  /** Whether the flag or switch is given. */
  readonly has: (name: string) => boolean;
  /** The last value given, else the default of the flag. */
  readonly value: (name: string) => string;
  /** Every value given, of a flag that may be repeated. */
  readonly values: (name: string) => readonly string[];
  /** The value of a flag that accepts only these choices. Throws `bad-option`. */
  readonly choice: <T extends string>(name: string, choices: readonly T[]) => T;
}

/** The allowed positional arguments of a command line. */
export interface Positionals {
  /** Completes "expected …". */
  readonly expected: string;
  readonly atLeast: number;
  readonly atMost: number;
}

export const noPositionals: Positionals = { expected: "no arguments", atLeast: 0, atMost: 0 };

/** Throws `bad-option` for flags that do not exist and for too few or too many positionals. */
export function readFlags(
  args: readonly string[],
  flags: readonly DocumentedFlag[],
  { expected, atLeast, atMost }: Positionals,
): ReadFlags {
  const given = readArguments(args, flags);
  const positionals = given.filter((argument) => argument.type === "positional").map(({ value }) => value);
  if (positionals.length < atLeast || positionals.length > atMost) {
    throw new MeshError("bad-option", `expected ${expected}, found ${positionals.join(" ") || "none"}`);
  }
  const values = (name: string) =>
    given.flatMap((argument) => (argument.type === "flag" && argument.name === name ? [argument.value] : []));
  const value = (name: string) => values(name).at(-1) ?? flags.find((flag) => flag.name === name)?.default ?? "";
  return {
    arguments: given,
    positionals,
    has: (name) => given.some((argument) => argument.type !== "positional" && argument.name === name),
    value,
    values,
    choice: (name, choices) => chosen(name, value(name), choices),
  };
}

function chosen<T extends string>(name: string, value: string, choices: readonly T[]): T {
  const choice = choices.find((candidate) => candidate === value);
  if (choice !== undefined) return choice;
  const expected = new Intl.ListFormat("en-GB", { type: "disjunction" }).format(choices);
  throw new MeshError("bad-option", `--${name}: expected ${expected}, found ${JSON.stringify(value)}`);
}
