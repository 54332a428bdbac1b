import type { Collection } from "../../collection/collection.ts";
import { Graph } from "../../collection/graph.ts";
import type { Input } from "../../collection/input.ts";
import { type Config, configKey, isSameConfig } from "../../config/config.ts";
import { meshConfig } from "../../config/kinds/mesh-config.ts";
import type { Transformer } from "../../galley/processor/transformer.ts";
import { assert } from "../../lib/assert.ts";
import { collectionOf, configsIn, meshConfigIn } from "../config/configs-in.ts";

/** One transformer with inputs that a test writes, as YAML. */
export class TransformerRig {
  readonly graph: Graph;
  readonly #inputs: ReadonlyMap<string, Input<Config>>;
  readonly #outputs: ReadonlyMap<string, Collection<Config>>;

  constructor(transformer: Transformer, graph: Graph = new Graph()) {
    this.graph = graph;
    this.#inputs = new Map(
      transformer.inputs.map((name) => [name, this.graph.input<Config>(name, { equals: isSameConfig })]),
    );
    this.#outputs = transformer.install(this.graph, (name) => this.input(name));
  }

  input(collection: string): Input<Config> {
    const input = this.#inputs.get(collection);
    assert(input !== undefined, `${collection} is an input`);
    return input;
  }

  /** Sets every object of a text, as one change. Objects that the transformer does not read are passed over. */
  apply(text: string): void {
    const configs = parsed(text);
    this.graph.batch(() => {
      for (const config of configs) this.#inputs.get(collectionOf(config))?.set(configKey(config), config);
    });
  }

  /** Takes away every object of a text, as one change. */
  remove(text: string): void {
    const configs = parsed(text);
    this.graph.batch(() => {
      for (const config of configs) this.#inputs.get(collectionOf(config))?.delete(configKey(config));
    });
  }

  setMesh(text: string): void {
    this.input(meshConfig.collection).set("mesh", meshConfigIn(text));
  }

  output(collection: string): Collection<Config> {
    const output = this.#outputs.get(collection);
    assert(output !== undefined, `${collection} is an output`);
    return output;
  }

  /** Everything that leaves, sorted by key: what two histories that end alike have in common. */
  contents(): Readonly<Record<string, readonly (readonly [key: string, config: Config])[]>> {
    return Object.fromEntries(
      Array.from(this.#outputs, ([name, output]) => [
        name,
        [...output.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)),
      ]),
    );
  }
}

/** Random histories repeat themselves, and reading YAML is most of their time. */
const parsedTexts = new Map<string, readonly Config[]>();

function parsed(text: string): readonly Config[] {
  const known = parsedTexts.get(text);
  if (known !== undefined) return known;
  const configs = configsIn(text);
  parsedTexts.set(text, configs);
  return configs;
}
