import { MeshError } from "../../lib/errors.ts";
import type { DocumentedFlag } from "../command.ts";
import { valueFlag } from "./flag.ts";
import type { Positionals, ReadFlags } from "./read-flags.ts";

/** `-f`, as in kubectl. Before a path, commands with positionals do not need it. */
export const filenameFlag: DocumentedFlag = {
  ...valueFlag("filename", "PATH", "File or directory of objects, or - for stdin. May be repeated."),
  short: "f",
};

export const pathPositionals: Positionals = { expected: "FILE… or DIR…", atLeast: 0, atMost: Infinity };

/** The paths from flags and positionals, at least one. Throws `bad-option`. */
export function namedPaths(given: ReadFlags): readonly string[] {
  const named = [...given.values("filename"), ...given.positionals];
  if (named.length === 0) throw new MeshError("bad-option", `expected ${pathPositionals.expected}, found none`);
  return named;
}
