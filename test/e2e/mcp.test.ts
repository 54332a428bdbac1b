import { create } from "@bufbuild/protobuf";
import { Server, ServerCredentials, type ServerDuplexStream, type UntypedServiceImplementation } from "@grpc/grpc-js";
import { describe, expect, onTestFinished, test } from "vitest";
import { type RequestResources, RequestResourcesSchema, type Resources } from "#gen/istio/mcp/v1alpha1/mcp_pb.js";
import { type ControlPlaneOptions, createGalley, createPilot } from "../../src/app/control-plane.ts";
import { resourceSinkPath } from "../../src/app/mcp/mcp-paths.ts";
import { configKey } from "../../src/config/config.ts";
import { kindOf, kinds } from "../../src/config/kinds.ts";
import { parseConfigs } from "../../src/config/parse/parse.ts";
import { MemorySource } from "../../src/galley/source/memory-source.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { RecordingLogger } from "../../src/testing/recording/recording-logger.ts";
import { gatewayNode } from "./support/envoy/bootstrap.ts";
import { freePort } from "./support/free-port.ts";
import { get, portOf } from "./support/http.ts";
import { givenAt } from "./support/xds/holdings.ts";
import { pilotCollections, pushBytes, pushOf, requestBytes, requestOf, StockSink } from "./support/xds/mcp-sink.ts";
import { objectYaml, serviceYaml } from "./support/yaml.ts";

const quiet = { sources: [], xds: "127.0.0.1:0", http: "off", metrics: "off", ctrlz: "off", mcpDebounceAfterMs: 10 };
const gateways = "istio/networking/v1alpha3/gateways";
const entries = "istio/networking/v1alpha3/serviceentries";
const patience = { seconds: 20 };

/** A Galley in this process, and its source. */
class Rig {
  readonly source = new MemorySource({ name: "memory:test", collections: kinds.map(({ collection }) => collection) });
  readonly logger = new RecordingLogger();
  port = 0;

  async start(options: ControlPlaneOptions = {}): Promise<this> {
    const { source, logger } = this;
    const galley = createGalley({ ...quiet, mcp: "127.0.0.1:0", ownSources: [source], logger, ...options });
    onTestFinished(() => galley.stop());
    const { mcp } = await galley.start();
    this.port = portOf(mcp);
    return this;
  }

  put(text: string): void {
    const { configs } = parseConfigs({ text, file: "a.yaml", source: "test", kinds, defaultNamespace: "shop" });
    for (const config of configs) this.source.set(kindOf(config.apiVersion, config.kind)?.collection ?? "", config);
  }

  remove(kind: string, name: string): void {
    const row = kinds.find((each) => each.kind === kind);
    this.source.delete(row?.collection ?? "", configKey({ namespace: "shop", name }));
  }

  sink(options?: ConstructorParameters<typeof StockSink>[1]): StockSink {
    const sink = new StockSink(this.port, options);
    onTestFinished(() => sink[Symbol.dispose]());
    return sink;
  }
}

const router = {
  node: { id: gatewayNode.id, cluster: "test", metadata: { NAMESPACE: "shop", LABELS: { app: "gw" } } },
  mode: "delta" as const,
  targets: undefined,
  rejects: false,
  bytesPerSecond: undefined,
  reconnectEveryMs: undefined,
};

const pay = serviceYaml({ name: "pay", port: 80, endpoints: [{ port: 8080 }] });
const edge = objectYaml("Gateway", "edge", {
  selector: { app: "gw" },
  servers: [{ hosts: ["*"], port: { number: 80, name: "http", protocol: "HTTP" } }],
});

describe("a sink like the real Pilot's", () => {
  test("gets a full response for each of its 16 collections, with our version in the header", async () => {
    const rig = await new Rig().start();
    rig.put(pay);
    const sink = rig.sink().subscribe();
    await sink.until("is synced", ({ answered }) => answered.size === pilotCollections.length);
    await sink.until("has the entry", (each) => each.names(entries).join() === "shop/pay");
    expect(
      sink.pushes.every(
        ({ incremental, nonce, systemVersionInfo }) => !incremental && nonce !== "" && systemVersionInfo !== "",
      ),
    ).toBe(true);
    expect((await sink.headers).get("config.source.version")).toHaveLength(1);
  });

  test("receives changes, deletions, and the deletion of the last object", async () => {
    const rig = await new Rig().start();
    rig.put(pay + "---\n" + edge);
    const sink = rig.sink().subscribe();
    await sink.until("has both", (each) => each.names(entries).length + each.names(gateways).length === 2);
    rig.remove("ServiceEntry", "pay");
    await sink.until("has no entry", (each) => each.names(entries).length === 0);
    expect(sink.names(gateways)).toEqual(["shop/edge"]);
  });

  test("that rejects one collection for ever gets all others, and does not block other sinks", async () => {
    const rig = await new Rig().start();
    rig.put(edge);
    const stubborn = rig.sink({ rejects: [gateways] }).subscribe();
    const willing = rig.sink().subscribe();
    await stubborn.until("has the rest", ({ answered }) => answered.size === pilotCollections.length - 1);
    rig.put(pay);
    await Promise.all(
      [stubborn, willing].map((sink) => sink.until("has the entry", (each) => each.names(entries).length === 1)),
    );
    await willing.until("has the gateway", (each) => each.names(gateways).length === 1);
    const offered = () => stubborn.pushes.filter(({ collection }) => collection === gateways).length;
    expect(offered()).toBe(1);
    rig.remove("Gateway", "edge");
    await stubborn.until("is offered what is new", () => offered() === 2);
  });

  test("that does not read gets only the newest state when it reads again", async () => {
    const rig = await new Rig().start();
    const slow = rig.sink().subscribe([entries]);
    const quick = rig.sink().subscribe([entries]);
    await slow.until("is answered", ({ answered }) => answered.has(entries));
    const before = slow.pushes.length;
    slow.stall();
    for (let round = 1; round <= 20; round++) {
      rig.put(
        serviceYaml({ name: "pay", port: 80, endpoints: [{ port: 1000 + round }] }) +
          "---\n" +
          serviceYaml({ name: `round-${round}`, port: 80, endpoints: [] }),
      );
      await quick.until(`has round ${round}`, (each) => each.names(entries).includes(`shop/round-${round}`));
    }
    slow.resume();
    await slow.until("has caught up", (each) => each.names(entries).includes("shop/round-20"));
    expect(slow.pushes.length - before).toBeLessThanOrEqual(2);
  });
});

type SinkCall = ServerDuplexStream<Resources, RequestResources>;

/** A sink server on a stock gRPC library. */
async function stockSinkServer(port: number, serve: (call: SinkCall) => void): Promise<Server> {
  const server = new Server();
  const handlers: UntypedServiceImplementation = { EstablishResourceStream: serve };
  server.addService(
    {
      EstablishResourceStream: {
        path: resourceSinkPath,
        requestStream: true,
        responseStream: true,
        requestSerialize: pushBytes,
        requestDeserialize: pushOf,
        responseSerialize: requestBytes,
        responseDeserialize: requestOf,
      },
    },
    handlers,
  );
  await new Promise<void>((resolve, reject) => {
    const bound = (error: Error | null) => (error === null ? resolve() : reject(error));
    server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), bound);
  });
  onTestFinished(() => server.forceShutdown());
  return server;
}

describe("a sink that we call", () => {
  test("gets a trigger first, metadata once and nonces from 1, and is dialled again after its end", async () => {
    const port = await freePort();
    const calls: { readonly metadata: unknown; readonly heard: Resources[] }[] = [];
    await stockSinkServer(port, (call) => {
      const heard: Resources[] = [];
      const { metadata } = call;
      calls.push({
        metadata: { cluster: metadata.get("cluster"), version: metadata.get("config.source.version") },
        heard,
      });
      const isFirst = calls.length === 1;
      const isEnding = () => isFirst && new Set(heard.map(({ collection }) => collection)).size === 3;
      call.on("data", (push: Resources) => {
        // A sink that has ended a call sends nothing more, whatever arrives.
        if (isEnding()) return;
        heard.push(push);
        const refused = { errorDetail: { code: 12, message: "unsupported" } };
        const answer = push.nonce === "" ? refused : { responseNonce: push.nonce };
        call.write(create(RequestResourcesSchema, { collection: push.collection, ...answer }));
        if (isEnding()) call.end();
      });
      call.write(create(RequestResourcesSchema, { collection: gateways }));
      call.write(create(RequestResourcesSchema, { collection: entries }));
    });
    const rig = await new Rig().start({
      mcp: "off",
      mcpSink: `127.0.0.1:${port}`,
      mcpSinkMeta: ["cluster=c1", "cluster=c2"],
    });
    rig.put(pay);
    await eventually("a second call", () => (calls[1]?.heard.length ?? 0) >= 3, patience);
    for (const { heard, metadata } of calls) {
      expect(heard[0]).toMatchObject({ collection: "$triggerCollection", nonce: "" });
      expect(heard.slice(1, 3).map(({ nonce }) => nonce)).toEqual(["1", "2"]);
      expect(metadata).toEqual({ cluster: ["c1, c2"], version: [expect.any(String)] });
    }
  });

  test("may be absent: Galley is ready without it, and calls it when it appears", async () => {
    const port = await freePort();
    await new Rig().start({ mcp: "off", mcpSink: `127.0.0.1:${port}` });
    const called = Promise.withResolvers<boolean>();
    await stockSinkServer(port, () => called.resolve(true));
    expect(await called.promise).toBe(true);
  });
});

describe("a server that cannot start", () => {
  test.each<readonly [string, ControlPlaneOptions]>([
    ['--mcp-sink-auth: expected one of NONE, MUTUAL, found "MTLS"', { mcpSinkAuth: "MTLS" }],
    ['--mcp-sink-auth: expected one of NONE, MUTUAL, found ""', { mcpSinkAuth: "" }],
    ["--mcp-sink-auth: GOOGLE is not supported", { mcpSinkAuth: "GOOGLE" }],
    ["--mcp-sink-auth: MUTUAL needs --mcp-tls-cert", { mcpSinkAuth: "MUTUAL", mcpSink: "127.0.0.1:1" }],
    ['--mcp-sink-meta: expected KEY=VALUE, found "novalue"', { mcpSinkMeta: ["novalue"] }],
    ["--mcp-tls-cert, --mcp-tls-key and --mcp-tls-ca must be set together", { mcpTlsCert: "cert.pem" }],
    ["--mcp-access-list needs --mcp-tls-cert", { mcpAccessList: "list.yaml" }],
    ['"sink" is not an address', { mcpSink: "sink" }],
  ])("reports %s", (message, options) => {
    const ownSources = [new Rig().source];
    expect(() => createGalley({ ...quiet, ...options, ownSources, logger: new RecordingLogger() })).toThrow(message);
  });

  test("reports a port in use, with its flag", async () => {
    const { port } = await new Rig().start();
    await expect(new Rig().start({ mcp: `127.0.0.1:${port}` })).rejects.toThrow(
      `--mcp: 127.0.0.1:${port} is already in use`,
    );
  });
});

describe("Pilot alone", () => {
  const source = "mcp://127.0.0.1:1";

  test("needs a source of configuration", () => {
    expect(() => createPilot({ ...quiet, logger: new RecordingLogger() })).toThrow(
      "set --source to read configuration from",
    );
  });

  test("is not ready before Galley has sent everything, gives the reason, and can be stopped meanwhile", async () => {
    const http = await freePort();
    const pilot = createPilot({
      ...quiet,
      http: `127.0.0.1:${http}`,
      sources: [source],
      logger: new RecordingLogger(),
    });
    const started = pilot.start().catch((thrown: unknown) => String(thrown));
    const answer = await eventually("an answer", async () => await get(http, "/ready"), patience);
    expect(answer.status).toBe(503);
    expect(answer.body).toContain(source);
    await pilot.stop();
    expect(await started).toContain("stopped before the start was complete");
  });
});

test("several Pilots of several Galleys with the same content serve the same resources", async () => {
  const galleys = await Promise.all([new Rig().start(), new Rig().start()]);
  for (const galley of galleys) galley.put(`${pay}---\n${edge}`);
  const urls = galleys.map(({ port }) => `mcp://127.0.0.1:${port}`);
  const given = [urls, urls.toReversed(), urls.slice(0, 1)].map(async (sources) => {
    const pilot = createPilot({ ...quiet, sources, logger: new RecordingLogger() });
    onTestFinished(() => pilot.stop());
    const { xds } = await pilot.start();
    return { services: pilot.summary().services, held: await givenAt(portOf(xds), [router]) };
  });
  const [first, ...others] = await Promise.all(given);
  expect(first).toMatchObject({ services: 1, held: [{ "LDS 0.0.0.0_8080": expect.any(String) as string }] });
  for (const other of others) expect(other).toEqual(first);
});

test("the log of every frame has its subject, and none of its content", async () => {
  const secret = "do-not-print-me";
  const rig = await new Rig().start({ logLevel: { mcp: "debug" } });
  rig.put(serviceYaml({ name: "pay", port: 80, endpoints: [{ port: 8080, labels: { token: secret } }] }));
  const pilot = createPilot({
    ...quiet,
    sources: [`mcp://127.0.0.1:${rig.port}`],
    logger: rig.logger,
    logLevel: { mcp: "debug" },
  });
  onTestFinished(() => pilot.stop());
  await pilot.start();
  const sink = rig.sink({ rejects: [entries] }).subscribe();
  await sink.until("has rejected it", ({ pushes }) => pushes.some(({ collection }) => collection === entries));
  await eventually(
    "the rejection is logged",
    () => rig.logger.messages("warn").includes("mcp push rejected"),
    patience,
  );
  const messages = new Set(rig.logger.messages("debug"));
  expect(messages).toEqual(new Set(["mcp request", "mcp push", "mcp push acknowledged", "mcp source connected"]));
  const pushes = rig.logger.lines.filter(({ message }) => message === "mcp push");
  expect(pushes.map(({ fields }) => fields)).toContainEqual(
    expect.objectContaining({ collection: entries, resources: 1 }),
  );
  expect(JSON.stringify(rig.logger.lines)).not.toContain(secret);
});
