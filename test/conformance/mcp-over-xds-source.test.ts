import { create, toBinary } from "@bufbuild/protobuf";
import { AnySchema } from "@bufbuild/protobuf/wkt";
import { kinds } from "../../src/config/kinds.ts";
import { parseConfigs } from "../../src/config/parse/parse.ts";
import { receivedCollections } from "../../src/galley/source/mcp/received-collections.ts";
import { createXdsSource } from "../../src/galley/source/xds/xds-source.ts";
import { type McpCollection, mcpCollections } from "../../src/mcp/collections.ts";
import { ownMetadata } from "../../src/mcp/xds/config-client.ts";
import type { Mode } from "../../src/mcp/xds/sink/read-response.ts";
import { RecordingSink } from "../../src/testing/mcp/mcp-observers.ts";
import { McpWire } from "../../src/testing/mcp/mcp-wire.ts";
import { ConfigRig } from "../../src/testing/mcp-over-xds/config-rig.ts";
import { ConfigWorld, parsed } from "../../src/testing/mcp-over-xds/config-world.ts";
import { describeSource, type SourceSubject } from "./describe-source.ts";

/** Our own server behind it. What cannot be parsed leaves as something that cannot be read. */
function subject(mode: Mode): Promise<SourceSubject> {
  const broken = new Set<unknown>();
  const rig = new ConfigRig({ world: new ConfigWorld(mcpCollections.map((each) => spoiled(each, broken))) });
  rig.world.publish();
  let wire = new McpWire();
  const source = createXdsSource({
    name: "xds://test",
    mode,
    line: {
      start: () => Promise.resolve(),
      stop: () => Promise.resolve(),
      open() {
        wire = new McpWire();
        rig.server.serve(wire.source, { mode });
        return wire.sink;
      },
    },
    node: { id: "sidecar~127.0.0.1~a.b~b.svc.cluster.local", metadata: ownMetadata },
    collections: receivedCollections(kinds),
    takesSynthetic: false,
    revision: undefined,
    resyncMs: 0,
    clock: rig.clock,
    random: () => 0.5,
    observer: new RecordingSink(),
  });
  return Promise.resolve({
    source,
    put(yaml) {
      const { issues } = parseConfigs({ text: yaml, file: "a.yaml", source: "test", kinds, defaultNamespace: "shop" });
      const configs = parsed(yaml.replace("resoluton: DNS", "resolution: NONE"));
      if (issues.length > 0) for (const { spec } of configs) broken.add(spec);
      rig.world.put(configs);
      return Promise.resolve();
    },
    remove: (kind, namespace, name) => Promise.resolve(rig.world.remove(kind, `${namespace}/${name}`)),
    idle: () => Promise.resolve(wire.settle()),
    close: () => Promise.resolve(),
  });
}

/** A collection whose bodies are something else where somebody says so. */
function spoiled(collection: McpCollection, broken: ReadonlySet<unknown>): McpCollection {
  const { body } = collection;
  const something = toBinary(AnySchema, create(AnySchema, { typeUrl: "type.googleapis.com/something.Else" }));
  return { ...collection, body: { ...body, encode: (spec) => (broken.has(spec) ? something : body.encode(spec)) } };
}

const settings = { losesTrack: false, registry: true };
describeSource("configuration over xDS, state of the world,", () => subject("sotw"), settings);
describeSource("configuration over xDS, incremental,", () => subject("delta"), settings);
