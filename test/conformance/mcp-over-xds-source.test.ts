import { kinds } from "../../src/config/kinds.ts";
import { receivedCollections } from "../../src/galley/source/remote/received-collections.ts";
import { createXdsSource } from "../../src/galley/source/xds/xds-source.ts";
import { ownMetadata } from "../../src/mcp/xds/config-client.ts";
import { RecordingSink } from "../../src/testing/mcp/mcp-observers.ts";
import { McpWire } from "../../src/testing/mcp/mcp-wire.ts";
import { ConfigRig } from "../../src/testing/mcp-over-xds/config-rig.ts";
import type { Mode } from "../../src/xds/mode.ts";
import { describeSource, type SourceSubject } from "./describe-source.ts";
import { SpoiledWorld } from "./spoiled.ts";

/** Our own server behind it. */
function subject(mode: Mode): Promise<SourceSubject> {
  const spoiled = new SpoiledWorld();
  const rig = new ConfigRig({ world: spoiled.world });
  let wire = new McpWire();
  const source = createXdsSource({
    name: "xds://test",
    mode,
    connection: {
      start: () => Promise.resolve(),
      stop: () => Promise.resolve(),
      open() {
        wire = new McpWire();
        rig.server.serve(wire.source, { mode });
        return wire.sink;
      },
    },
    node: { id: "sidecar~127.0.0.1~a.b~b.svc.cluster.local", metadata: ownMetadata },
    collections: receivedCollections(kinds, { forwards: true }),
    takesSynthetic: false,
    revision: undefined,
    resyncMs: 0,
    clock: rig.clock,
    random: () => 0.5,
    observer: new RecordingSink(),
  });
  return Promise.resolve({
    source,
    put: (yaml) => Promise.resolve(spoiled.put(yaml)),
    remove: (kind, namespace, name) => Promise.resolve(spoiled.remove(kind, namespace, name)),
    idle: () => Promise.resolve(wire.settle()),
    close: () => Promise.resolve(),
  });
}

const settings = { losesTrack: false, registry: true };
describeSource("configuration over xDS, state of the world,", () => subject("sotw"), settings);
describeSource("configuration over xDS, incremental,", () => subject("delta"), settings);
