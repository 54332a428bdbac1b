import { readFileSync } from "node:fs";
import { readArguments } from "../../app/options/flags.ts";
import { galleyDefaults, type Options, optionRows, optionThemes, pilotDefaults } from "../../app/options/options.ts";
import { readOptions } from "../../app/options/read-options.ts";
import type { DocumentedFlag, Terminal } from "../command.ts";
import { optionFlag } from "./option-flag.ts";

/** The settings that most servers are given, in this order. */
const basics: readonly (keyof Options)[] = [
  "sources",
  "mesh",
  "networks",
  "kubeconfig",
  "xds",
  "http",
  "metrics",
  "mcp",
  "logLevel",
  "configFile",
];

/** The settings of a whole control plane. */
export const serverFlags: readonly DocumentedFlag[] = flagsOf("both");

/** The settings of Galley alone. */
export const galleyFlags: readonly DocumentedFlag[] = flagsOf("galley", galleyDefaults);

/** The settings of Pilot alone. */
export const pilotFlags: readonly DocumentedFlag[] = flagsOf("pilot", pilotDefaults);

/** Those that differ between servers are addresses and lists of texts. */
type OtherDefaults = Partial<Pick<Options, "mcp" | "sources">>;

function flagsOf(half: "galley" | "pilot" | "both", defaults: OtherDefaults = {}): readonly DocumentedFlag[] {
  const rows = optionRows.filter(([, { of }]) => half === "both" || of === undefined || of === half);
  const isBasic = ([key]: (typeof rows)[number]) => basics.includes(key);
  const first = rows.filter(isBasic).toSorted(([a], [b]) => basics.indexOf(a) - basics.indexOf(b));
  return [...first, ...rows.filter((row) => !isBasic(row))].map(([key, option]) => {
    const flag = { ...optionFlag(option), theme: themeOf(key) };
    return isOther(key, defaults) ? { ...flag, default: [defaults[key]].flat().join(", ") } : flag;
  });
}

function themeOf(key: keyof Options): string {
  if (basics.includes(key)) return "basics";
  return Object.entries(optionThemes).find(([, rows]) => key in rows)?.[0] ?? "others";
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
