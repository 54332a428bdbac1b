import { readFileSync } from "node:fs";
import { readArguments } from "../../app/options/flags.ts";
import { galleyDefaults, type Options, optionRows, pilotDefaults } from "../../app/options/options.ts";
import { readOptions } from "../../app/options/read-options.ts";
import type { DocumentedFlag, Terminal } from "../command.ts";
import { optionFlag } from "./option-flag.ts";

/** The settings of a whole control plane. */
export const serverFlags: readonly DocumentedFlag[] = flagsOf("both");

/** The settings of Galley alone. */
export const galleyFlags: readonly DocumentedFlag[] = flagsOf("galley", galleyDefaults);

/** The settings of Pilot alone. */
export const pilotFlags: readonly DocumentedFlag[] = flagsOf("pilot", pilotDefaults);

/** Those that differ between servers are addresses and lists of texts. */
type OtherDefaults = Partial<Pick<Options, "mcp" | "sources">>;

function flagsOf(half: "galley" | "pilot" | "both", defaults: OtherDefaults = {}): readonly DocumentedFlag[] {
  return optionRows
    .filter(([, { of }]) => half === "both" || of === undefined || of === half)
    .map(([key, option]) => {
      const flag = optionFlag(option);
      return isOther(key, defaults) ? { ...flag, default: [defaults[key]].flat().join(", ") } : flag;
    });
}

/** From flags, the environment and the configuration file. Throws `bad-option`. */
export function readServerFlags(
  args: readonly string[],
  flags: readonly DocumentedFlag[],
  { env }: Pick<Terminal, "env">,
  defaults: Partial<Options> = {},
): Options {
  return readOptions({ arguments: readArguments(args, flags), env, defaults, readFile });
}

function readFile(path: string): string {
  return readFileSync(path, "utf8");
}

function isOther(key: keyof Options, defaults: OtherDefaults): key is keyof OtherDefaults {
  return key in defaults;
}
