import { readArguments } from "../app/flags.ts";
import { MeshError } from "../lib/errors.ts";
import type { DocumentedFlag } from "./command.ts";

export interface ReadFlags {
  readonly positionals: readonly string[];
  readonly switches: ReadonlySet<string>;
  /** The last value given, else the default of the flag. */
  readonly value: (name: string) => string;
}

/** The flags of a command without settings of its own. Throws `bad-option`; `positionals` names what may stand alone. */
export function readFlags(
  args: readonly string[],
  flags: readonly DocumentedFlag[],
  positionals: readonly string[] = [],
): ReadFlags {
  const given = readArguments(args, flags);
  const alone = given.filter((argument) => argument.type === "positional").map(({ value }) => value);
  if (alone.length !== positionals.length) {
    const expected = positionals.length === 0 ? "no arguments" : positionals.join(" ");
    throw new MeshError("bad-option", `expected ${expected}, found ${alone.join(" ") || "none"}`);
  }
  const switches = given.filter((argument) => argument.type === "switch").map(({ name }) => name);
  const values = new Map(flags.map((flag) => [flag.name, flag.default]));
  for (const argument of given) if (argument.type === "flag") values.set(argument.name, argument.value);
  return { positionals: alone, switches: new Set(switches), value: (name) => values.get(name) ?? "" };
}
