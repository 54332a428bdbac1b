import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fromJson, type JsonObject, type Registry, toJson } from "@bufbuild/protobuf";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { DiscoveryRequestSchema } from "../../gen/envoy/service/discovery/v3/discovery_pb.js";
import { ResourceSchema } from "../../gen/istio/mcp/v1alpha1/resource_pb.js";
import type { Config } from "../../src/config/config.ts";
import { kinds } from "../../src/config/kinds.ts";
import { receivedCollections } from "../../src/galley/source/remote/received-collections.ts";
import { createXdsSource, type XdsSource } from "../../src/galley/source/xds/xds-source.ts";
import { ownMetadata } from "../../src/mcp/xds/config-client.ts";
import { configsIn } from "../../src/testing/config/configs-in.ts";
import { FakeClock } from "../../src/testing/fake-clock.ts";
import { RecordingSink } from "../../src/testing/mcp/mcp-observers.ts";
import { ConfigRig } from "../../src/testing/mcp-over-xds/config-rig.ts";
import { IstiodStore } from "../../src/testing/mcp-over-xds/istiod-store.ts";
import { SourceRecorder } from "../../src/testing/recording/source-recorder.ts";
import { describeWithData, istiodGoldens } from "../../src/testing/shared-data.ts";
import { RecordedIstiod, type RecordedMessage } from "./recorded-istiod.ts";
import { loadRegistry } from "./registry.ts";

const recordings = join(istiodGoldens, "mcp-over-xds");
const virtualServices = "networking.istio.io/v1/VirtualService";

function session(name: string): readonly RecordedMessage[] {
  const { entries } = JSON.parse(readFileSync(join(recordings, `${name}.json`), "utf8")) as {
    entries: RecordedMessage[];
  };
  return entries;
}

/** The streams of a recorded client: the messages of istiod on each, in order. */
function streams(): readonly (readonly NonNullable<RecordedMessage["received"]>[])[] {
  const said: NonNullable<RecordedMessage["received"]>[][] = [];
  for (const { note, received } of session("istiod-as-client")) {
    if (note?.endsWith("opens")) said.push([]);
    if (received !== undefined) said.at(-1)?.push(received);
  }
  return said;
}

/** The objects of both recorded conversations. */
function weighted(): readonly Config[] {
  const folder = join(istiodGoldens, "06-weighted/conf");
  return globSync("*.yaml", { cwd: folder }).flatMap((file) => configsIn(readFileSync(join(folder, file), "utf8")));
}

let registry: Registry;

beforeAll(async () => {
  registry = await loadRegistry();
});

describeWithData(recordings, "a real istiod that receives our configuration", () => {
  let rig: ConfigRig;
  let store: IstiodStore;

  beforeEach(() => {
    rig = new ConfigRig();
    rig.world.put(weighted());
    store = new IstiodStore();
  });

  /** Sends the first messages of istiod, which wait for no request, and then its responses to our requests. */
  function connect(recorded: readonly NonNullable<RecordedMessage["received"]>[]) {
    const { ask, say, read } = rig.sotw();
    const asked = recorded.filter(({ versionInfo }) => versionInfo === undefined);
    for (const request of asked) say(fromJson(DiscoveryRequestSchema, request));
    const settle = () => {
      const responses = read();
      for (const response of responses) {
        const answer = store.take(response);
        if (answer !== undefined) ask(answer);
      }
      return responses;
    };
    return { typeUrls: asked.map(({ typeUrl }) => typeUrl), settle, ask };
  }

  test("gets a response for every subscribed type, and each recorded acknowledgement follows", () => {
    for (const recorded of streams()) {
      const { typeUrls, settle } = connect(recorded);
      const responses = settle();
      expect(responses.map(({ typeUrl }) => typeUrl)).toEqual(typeUrls);
      expect(store.isSynced(typeUrls)).toBe(true);
      const acknowledged = recorded.filter(({ versionInfo }) => versionInfo === "1").map(({ typeUrl }) => typeUrl);
      expect(acknowledged.toSorted()).toEqual(typeUrls.toSorted());
    }
    expect(rig.observer.failures).toEqual([]);
  });

  test("ends in the objects of the mesh, with full hosts", () => {
    connect(streams()[0] ?? []).settle();
    const hosts = JSON.stringify(
      Array.from(store.objects.values(), (object) => toJson(ResourceSchema, object, { registry })),
    );
    expect([...store.objects.keys()].toSorted()).toEqual(
      weighted()
        .map(({ kind, namespace, name }) => `networking.istio.io/v1/${kind} ${namespace}/${name}`)
        .toSorted(),
    );
    expect(hosts).toContain('"hosts":["frontend.web.svc.cluster.local"]');
    expect(hosts).not.toContain('"host":"frontend"');
  });

  test("drops removed objects, applies changed ones, and gets no others", () => {
    const { settle } = connect(streams()[0] ?? []);
    settle();
    rig.world.remove("VirtualService", "web/frontend");
    expect(settle().map(({ typeUrl, resources }) => [typeUrl, resources.length])).toEqual([[virtualServices, 1]]);
    expect([...store.objects.keys()].filter((key) => key.startsWith(virtualServices))).toEqual([
      `${virtualServices} shop/reviews`,
    ]);
    const { writes } = store;
    const reviews = weighted().find(({ kind, name }) => kind === "VirtualService" && name === "reviews");
    const changed = { ...reviews, labels: { edited: "yes" }, version: "another" } as Config;
    rig.world.put([changed]);
    expect(settle()).toHaveLength(1);
    expect(store.objects.get(`${virtualServices} shop/reviews`)?.metadata?.labels).toEqual({ edited: "yes" });
    expect(store.writes).toBe(writes + 1);
  });

  test("writes nothing after a restart of ours without a change", () => {
    const [first = [], second = []] = streams();
    connect(first).settle();
    const { writes } = store;
    rig = new ConfigRig();
    rig.world.put(weighted());
    connect(second).settle();
    expect(store.writes).toBe(writes);
    expect(store.objects.size).toBe(weighted().length);
  });
});

describeWithData(recordings, "a recorded client of a real istiod", () => {
  /** Our response to each recorded request: types, and the number of resources. */
  test("gets the same responses from us as from istiod, except where istiod is at fault", () => {
    const rig = new ConfigRig();
    rig.world.put(weighted());
    const { say, read } = rig.sotw();
    const nonces = new Map<string, string>();
    const ours: [string, number][] = [];
    const theirs: [string, number][] = [];
    for (const { note = "", sent, received } of session("istiod-as-server")) {
      if (note.startsWith("edit:")) break;
      if (received !== undefined) theirs.push([received.typeUrl, count(received)]);
      if (sent === undefined) continue;
      const nonce =
        note === "stale nonce" ? "stale" : (note === "ACK" || note.startsWith("NACK")) && nonces.get(sent.typeUrl);
      say(fromJson(DiscoveryRequestSchema, { ...sent, responseNonce: nonce || "" }));
      for (const response of read()) {
        nonces.set(response.typeUrl, response.nonce);
        ours.push([response.typeUrl, response.resources.length]);
      }
    }
    const known = theirs.map(([typeUrl, resources]): [string, number] => {
      // A request for another version of a kind gets the objects of the kind.
      if (typeUrl === "networking.istio.io/v1alpha3/VirtualService") return [typeUrl, 2];
      // No user wrote one, and we do not make one up.
      return typeUrl === "core/v1alpha1/MeshConfig" ? [typeUrl, 0] : [typeUrl, resources];
    });
    expect(ours).toEqual(known);
  });
});

describeWithData(recordings, "a real istiod that sends us configuration", () => {
  let istiod: RecordedIstiod;
  let heard: SourceRecorder;
  let source: XdsSource;

  beforeEach(async () => {
    istiod = new RecordedIstiod(session("istiod-as-server"), registry);
    heard = new SourceRecorder();
    source = createXdsSource({
      name: "xds://istiod",
      mode: "sotw",
      connection: {
        start: () => Promise.resolve(),
        stop: () => Promise.resolve(),
        open: () => istiod.open(0),
      },
      node: { id: "sidecar~127.0.0.1~a.b~b.svc.cluster.local", metadata: ownMetadata },
      collections: receivedCollections(kinds, { forwards: true }),
      takesSynthetic: false,
      revision: undefined,
      resyncMs: 0,
      clock: new FakeClock(),
      random: () => 0.5,
      observer: new RecordingSink(),
    });
    await source.start(heard.handler);
    istiod.wire.settle();
  });

  function held(): readonly string[] {
    return Array.from(heard.state.values(), ({ kind, namespace, name }) => `${kind} ${namespace}/${name}`).toSorted();
  }

  test("sends us its objects, and each equals the one it has", () => {
    const expected = new Map(weighted().map((config) => [`${config.kind} ${config.namespace}/${config.name}`, config]));
    expect(held()).toEqual([...expected.keys(), "MeshConfig /mesh"].toSorted());
    // istiod sends the default mesh configuration as we do, and more fields.
    const told = [...heard.state.values()].filter(({ kind }) => kind !== "MeshConfig");
    expect(told.map(({ version }) => version).toSorted()).toEqual(
      Array.from(expected.values(), ({ version }) => version).toSorted(),
    );
    const synced = heard.events.filter(({ type }) => type === "fullSync");
    expect(synced).toHaveLength(source.collections.length);
  });

  test("receives an ACK of every response, with its version and its nonce, and our node once", () => {
    const acks = istiod.requests.filter(({ responseNonce }) => responseNonce !== "");
    expect(acks.length).toBe(istiod.requests.length / 2);
    expect(acks.map(({ errorDetail }) => errorDetail)).toEqual(acks.map(() => undefined));
    const recorded = acks.find(({ typeUrl }) => typeUrl === virtualServices);
    expect(recorded?.responseNonce.startsWith(recorded.versionInfo)).toBe(true);
    expect(istiod.requests.filter(({ node }) => node !== undefined)).toHaveLength(1);
  });

  test("sends everything for any change, and we apply only the changes", () => {
    heard.calls.length = 0;
    istiod.push(1);
    expect(heard.events).toMatchObject([{ type: "upserted", config: { kind: "VirtualService" } }]);
    heard.calls.length = 0;
    istiod.push(2);
    expect(heard.events.map(({ type }) => type)).toEqual(["deleted", "deleted"]);
    expect(held().filter((name) => name.startsWith("VirtualService"))).toEqual([]);
  });
});

function count(message: JsonObject): number {
  return Array.isArray(message["resources"]) ? message["resources"].length : 0;
}
