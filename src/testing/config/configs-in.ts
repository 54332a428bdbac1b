import type { Config } from "../../config/config.ts";
import { kindOf, kinds } from "../../config/kinds.ts";
import { parseMeshConfig } from "../../config/parse/mesh-config.ts";
import { parseConfigs } from "../../config/parse/parse.ts";
import { assert } from "../../lib/assert.ts";

/** Where a text is said to be from. */
interface Surroundings {
  readonly file?: string;
  readonly source?: string;
}

/** The objects of a YAML text, which must be right. */
export function configsIn(text: string, { file = "a.yaml", source = "test" }: Surroundings = {}): readonly Config[] {
  const { configs, issues } = parseConfigs({ text, file, source, kinds, defaultNamespace: "default" });
  const errors = issues.filter(({ severity }) => severity === "error");
  assert(errors.length === 0, errors.map(({ path, message }) => `${path}: ${message}`).join("; "));
  return configs;
}

/** The one object of such a text. */
export function configIn(text: string, surroundings?: Surroundings): Config {
  const [config, ...others] = configsIn(text, surroundings);
  assert(config !== undefined && others.length === 0, "there is one object in the text");
  return config;
}

/** What a file with the mesh's settings is read as, which must be right. */
export function meshConfigIn(text: string): Config {
  const { config } = parseMeshConfig({ text, file: "mesh.yaml", source: "test" });
  assert(config !== undefined, "the mesh configuration is valid");
  return config;
}

/** The collection that sources have an object in. */
export function collectionOf({ apiVersion, kind }: Pick<Config, "apiVersion" | "kind">): string {
  const row = kindOf(apiVersion, kind);
  assert(row !== undefined, `${apiVersion} ${kind} is in the kind table`);
  return row.collection;
}
