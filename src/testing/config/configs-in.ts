import type { Config } from "../../config/config.ts";
import { isRefused } from "../../config/finding.ts";
import { kindOf, kinds } from "../../config/kinds.ts";
import { parseMeshConfig } from "../../config/parse/mesh-files.ts";
import { parseConfigs } from "../../config/parse/parse.ts";
import { assert } from "../../lib/assert.ts";

/** The origin that the objects of a text carry. */
interface Context {
  readonly file?: string;
  readonly source?: string;
}

/** Parses a YAML text, which must be valid, into objects. */
export function configsIn(text: string, { file = "a.yaml", source = "test" }: Context = {}): readonly Config[] {
  const { configs, issues } = parseConfigs({ text, file, source, kinds, defaultNamespace: "default" });
  const errors = issues.filter((issue) => isRefused([issue]));
  assert(errors.length === 0, errors.map(({ path, message }) => `${path}: ${message}`).join("; "));
  return configs;
}

/** Parses a text that holds exactly one object. */
export function configIn(text: string, context?: Context): Config {
  const [config, ...others] = configsIn(text, context);
  assert(config !== undefined && others.length === 0, "there is one object in the text");
  return config;
}

/** Parses a file with the mesh configuration, which must be valid. */
export function meshConfigIn(text: string): Config {
  const { config } = parseMeshConfig({ text, file: "mesh.yaml", source: "test" });
  assert(config !== undefined, "the mesh configuration is valid");
  return config;
}

/** The collection in which sources put an object. */
export function collectionOf({ apiVersion, kind }: Pick<Config, "apiVersion" | "kind">): string {
  const row = kindOf(apiVersion, kind);
  assert(row !== undefined, `${apiVersion} ${kind} is in the kind table`);
  return row.collection;
}
