import { parseOnly } from "../../config/yaml/yaml.ts";
import { didYouMean } from "../../lib/did-you-mean.ts";
import { errorFrom, MeshError } from "../../lib/errors.ts";
import { scalarText } from "../../lib/scalar-text.ts";
import type { Argument } from "./flags.ts";
import type { Option } from "./option.ts";
import { defaultOptions, type Options, optionRows, optionTable } from "./options.ts";

export interface OptionInputs {
  /** As `readArguments` gives them; a positional is a directory. */
  readonly arguments: readonly Argument[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Override the defaults of the table. */
  readonly defaults?: Partial<Options>;
  /** Reads `--config-file`. */
  readonly readFile: (path: string) => string;
}

/** One place with option texts, such as flags or the environment. The texts are not parsed yet. */
interface Layer {
  readonly texts: (option: Option<unknown>) => readonly string[] | undefined;
  readonly nameOf: (option: Option<unknown>) => string;
}

/** Flags override the environment, then the configuration file, then the defaults. Throws `bad-option`. */
export function readOptions({ defaults, env, readFile, arguments: written }: OptionInputs): Options {
  const layers = [flagLayer(written), environmentLayer(env)];
  const configFile = valueIn(layers, optionTable.configFile);
  if (configFile !== undefined) layers.push(fileLayer(configFile, readFile));
  const values = optionRows.map(([key, option]) => [key, valueIn(layers, option)] as const);
  const given = values.filter(([, value]) => value !== undefined);
  return { ...defaultOptions(), ...defaults, ...Object.fromEntries(given) };
}

/** A mistake gives the same error in every layer, with the name that the layer uses. */
function valueIn<T>(layers: readonly Layer[], option: Option<T>): T | undefined {
  for (const { texts, nameOf } of layers) {
    const given = texts(option);
    if (given === undefined) continue;
    const value = option.type.parse(given);
    if (value !== undefined) return value;
    const shown = JSON.stringify(given.at(-1) ?? "");
    throw new MeshError("bad-option", `${nameOf(option)}: expected ${option.type.expected}, found ${shown}`);
  }
  return undefined;
}

function flagLayer(given: readonly Argument[]): Layer {
  const texts = Map.groupBy(given.flatMap(named), ([name]) => name);
  return {
    texts: ({ name }) => texts.get(name)?.map(([, value]) => value),
    nameOf: ({ name }) => `--${name}`,
  };
}

function named(argument: Argument): readonly (readonly [name: string, value: string])[] {
  if (argument.type === "flag") return [[argument.name, argument.value]];
  if (argument.type === "switch") return [[argument.name, "true"]];
  return [[optionTable.sources.name, `file:${argument.value}`]];
}

function environmentLayer(env: OptionInputs["env"]): Layer {
  const nameIn = (option: Option<unknown>) => option.env.find((name) => (env[name] ?? "") !== "");
  return {
    texts(option) {
      const text = env[nameIn(option) ?? ""];
      return text === undefined ? undefined : [text];
    },
    nameOf: (option) => nameIn(option) ?? option.name,
  };
}

function fileLayer(file: string, readFile: OptionInputs["readFile"]): Layer {
  const content = readSettings(file, readFile);
  const names = optionRows.map(([, { name }]) => name).filter((name) => name !== optionTable.configFile.name);
  for (const key of Object.keys(content)) {
    if (names.includes(key)) continue;
    const near = didYouMean(key, names);
    const hint = near === undefined ? "" : `; did you mean ${near}?`;
    throw new MeshError("bad-option", `${file}: unknown setting ${key}${hint}`);
  }
  const textIn = (value: unknown, name: string): string => {
    if (typeof value !== "object") return scalarText(value);
    throw new MeshError("bad-option", `${file}: ${name}: expected text, a number or a list of them`);
  };
  return {
    texts({ name }) {
      const value = content[name];
      return value === undefined || value === null ? undefined : [value].flat().map((each) => textIn(each, name));
    },
    nameOf: ({ name }) => `${file}: ${name}`,
  };
}

function readSettings(file: string, readFile: OptionInputs["readFile"]): Readonly<Record<string, unknown>> {
  let content: unknown;
  try {
    content = parseOnly(readFile(file), file);
  } catch (cause) {
    throw new MeshError("bad-option", `--config-file ${file}: ${errorFrom(cause).message}`, { cause });
  }
  if (content === null) return {};
  if (typeof content !== "object" || Array.isArray(content)) {
    throw new MeshError("bad-option", `--config-file ${file}: expected settings such as "xds: 127.0.0.1:15010"`);
  }
  return { ...content };
}
