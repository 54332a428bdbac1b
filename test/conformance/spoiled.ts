import { create, toBinary } from "@bufbuild/protobuf";
import { AnySchema } from "@bufbuild/protobuf/wkt";
import { kinds } from "../../src/config/kinds.ts";
import { parseConfigs } from "../../src/config/parse/parse.ts";
import { type McpCollection, mcpCollections } from "../../src/mcp/collections.ts";
import { configsIn } from "../../src/testing/config/configs-in.ts";
import { ConfigWorld } from "../../src/testing/mcp-over-xds/config-world.ts";

/** The published state of a Galley. An object that cannot be parsed leaves in an unreadable form. */
export class SpoiledWorld {
  readonly #broken = new Set<unknown>();
  readonly world: ConfigWorld;

  constructor() {
    this.world = new ConfigWorld(mcpCollections.map((collection) => spoiled(collection, this.#broken)));
    this.world.publish();
  }

  put(yaml: string): void {
    const { issues } = parseConfigs({ text: yaml, file: "a.yaml", source: "test", kinds, defaultNamespace: "default" });
    const configs = configsIn(yaml.replace("resoluton: DNS", "resolution: NONE"));
    if (issues.length > 0) for (const { spec } of configs) this.#broken.add(spec);
    this.world.put(configs);
  }

  remove(kind: string, namespace: string, name: string): void {
    this.world.remove(kind, `${namespace}/${name}`);
  }
}

/** A collection whose bodies are unreadable for the given objects. */
function spoiled(collection: McpCollection, broken: ReadonlySet<unknown>): McpCollection {
  const { body } = collection;
  const something = toBinary(AnySchema, create(AnySchema, { typeUrl: "type.googleapis.com/something.Else" }));
  return { ...collection, body: { ...body, encode: (spec) => (broken.has(spec) ? something : body.encode(spec)) } };
}
