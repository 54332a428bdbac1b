import type { View } from "../../collection/collection.ts";
import { Graph } from "../../collection/graph.ts";
import type { Input } from "../../collection/input.ts";
import { type Config, configKey, isSameConfig } from "../../config/config.ts";
import type { SnapshotGroup } from "../../config/kind.ts";
import { kindOf, kinds } from "../../config/kinds.ts";
import { outputOf } from "../../config/output-of.ts";
import { parseConfigs } from "../../config/parse/parse.ts";
import { mcpCollections } from "../../mcp/collections.ts";
import { SnapshotCache } from "../../mcp/snapshot-cache.ts";

/** What a Galley publishes, in a test's hands: objects are put in as YAML, and every change is a snapshot. */
export class ConfigWorld {
  readonly cache: SnapshotCache;
  readonly #graph = new Graph();
  readonly #inputs: ReadonlyMap<string, Input<Config>>;

  constructor(collections = mcpCollections) {
    this.cache = new SnapshotCache({ collections });
    this.#inputs = new Map(
      mcpCollections.map(({ name }) => [name, this.#graph.input<Config>(name, { equals: isSameConfig })]),
    );
  }

  /** Puts objects in, in place of those of the same names. */
  apply(...texts: readonly string[]): void {
    this.put(texts.flatMap(parsed));
  }

  put(configs: readonly Config[]): void {
    this.#graph.batch(() => {
      for (const config of configs) this.#input(config).set(configKey(config), config);
    });
    this.publish();
  }

  /** Puts an object into a collection that nobody writes by hand. */
  set(collection: string, config: Config): void {
    this.#graph.batch(() => this.#inputs.get(collection)?.set(configKey(config), config));
    this.publish();
  }

  remove(kind: string, key: string): void {
    const row = kinds.find((each) => each.kind === kind);
    this.#graph.batch(() => this.#inputs.get((row && outputOf(row)) ?? kind)?.delete(key));
    this.publish();
  }

  view(collection: string): View<Config> | undefined {
    return this.#inputs.get(collection)?.snapshot();
  }

  publish(groups: readonly SnapshotGroup[] = ["default", "syntheticServiceEntry"]): void {
    for (const group of groups) {
      const names = mcpCollections.filter((collection) => collection.group === group).map(({ name }) => name);
      this.cache.distribute({
        group,
        collections: new Map(names.flatMap((name) => pair(name, this.#inputs.get(name)?.snapshot()))),
      });
    }
  }

  #input({ apiVersion, kind }: Config): Input<Config> {
    const row = kindOf(apiVersion, kind);
    const input = this.#inputs.get((row && outputOf(row)) ?? "");
    if (input === undefined) throw new Error(`${kind} does not travel`);
    return input;
  }
}

/** The objects of a YAML text, which must be right. */
export function parsed(text: string): readonly Config[] {
  const { configs, issues } = parseConfigs({ text, file: "a.yaml", source: "test", kinds, defaultNamespace: "shop" });
  const errors = issues.filter(({ severity }) => severity === "error");
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join("\n"));
  return configs;
}

function pair(name: string, view: View<Config> | undefined): readonly (readonly [string, View<Config>])[] {
  return view === undefined ? [] : [[name, view]];
}
