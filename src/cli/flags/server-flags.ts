import { readFileSync } from "node:fs";
import { readArguments } from "../../app/flags.ts";
import { type Options, optionRows } from "../../app/options.ts";
import { readOptions } from "../../app/read-options.ts";
import type { DocumentedFlag, Terminal } from "../command.ts";
import { optionFlag } from "./option-flag.ts";

/** The settings of a whole control plane. */
export const serverFlags: readonly DocumentedFlag[] = optionRows.map(([, option]) => optionFlag(option));

/** The settings of Galley alone. */
export const galleyFlags: readonly DocumentedFlag[] = optionRows
  .filter(([, option]) => option.of !== "pilot")
  .map(([, option]) => optionFlag(option));

/** From flags, the environment and the configuration file. Throws `bad-option`. */
export function readServerFlags(
  args: readonly string[],
  flags: readonly DocumentedFlag[],
  { env }: Pick<Terminal, "env">,
): Options {
  return readOptions({ arguments: readArguments(args, flags), env, readFile: (path) => readFileSync(path, "utf8") });
}
