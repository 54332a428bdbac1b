import { describe, expect, onTestFinished, test } from "vitest";
import { GrpcStatus } from "../lib/grpc/grpc-stream.ts";
import { encodeSinkRequest } from "../mcp/sink/encode-sink-request.ts";
import { RecordingLogger } from "../testing/recording/recording-logger.ts";
import {
  pageOf,
  passing,
  shopEntry,
  started,
  valuesOf,
  wiredGalley,
  wiredServer,
} from "../testing/server/wired-server.ts";
import { turns, until } from "../testing/until.ts";
import { createGrpcClient } from "../transport/client/grpc-client.ts";
import { resourceSourcePath } from "./mcp/mcp-paths.ts";

const anyPort = "127.0.0.1:0";
const entries = "istio/networking/v1alpha3/serviceentries";

type Wired = ReturnType<typeof wiredServer> | ReturnType<typeof wiredGalley>;

/** A Galley with one service, which serves sinks. */
async function publishing(wired: typeof wiredServer | typeof wiredGalley, settings = {}): Promise<Wired> {
  const galley = wired({ mcp: anyPort, ...settings });
  galley.source.apply(shopEntry("reviews"));
  await started(galley);
  galley.clock.advance(10_000);
  return galley;
}

/** A server that reads from a Galley, and has all of its configuration. */
async function readingFrom(url: string, settings = {}) {
  return await started(wiredServer({ sources: [url], ...settings }, { ownSources: [] }));
}

async function config(server: Wired) {
  return JSON.parse((await pageOf(server, "/configj/", { port: "ctrlz" })).body);
}

const isCount = (series: string) => series.startsWith("_count");

function fieldsOf({ logger }: Wired, message: string): readonly object[] {
  return logger.lines.filter((line) => line.message === message).map(({ fields }) => fields);
}

describe.each([
  ["a server", wiredServer],
  ["Galley alone", wiredGalley],
] as const)("%s that serves sinks", (_, wired) => {
  test("shows the sink and what it acknowledged; the sink shows its Galley", async () => {
    const galley = await publishing(wired);
    const url = `mcp://${galley.listeners.addresses.mcp}`;
    const pilot = await readingFrom(url);
    const { Sinks, Snapshots, Galleys } = await config(galley);
    expect(Galleys).toEqual([]);
    expect(Sinks).toMatchObject([{ Peer: expect.stringContaining("127.0.0.1:") }]);
    const acknowledged = Snapshots.find(({ Collection }: { Collection: string }) => Collection === entries);
    expect(acknowledged).toMatchObject({ Names: ["shop/reviews"], Synced: { [Sinks[0].Peer]: true } });
    expect(await config(pilot)).toMatchObject({ Sinks: [], Galleys: [{ Source: url, Attached: true }] });
    expect([...pilot.environment.services.values()].map(({ hostname }) => hostname)).toEqual(["reviews.example"]);
  });

  test("shows the remote Galley of its source", async () => {
    const galley = await publishing(wiredGalley);
    const url = `mcp://${galley.listeners.addresses.mcp}`;
    const reader = await started(wired({ sources: [url] }, { ownSources: [] }));
    expect(await config(reader)).toMatchObject({ Galleys: [{ Source: url, Attached: true }] });
    expect(reader.processor.outputs.get(entries)?.size).toBe(1);
  });

  test("counts pushes, acknowledgements and streams at both ends, each under its component", async () => {
    const galley = await publishing(wired);
    const pilot = await readingFrom(`mcp://${galley.listeners.addresses.mcp}`);
    expect(await valuesOf(galley.metrics, "istio_mcp_clients_total")).toEqual(['{component="galley"} 1']);
    expect(await valuesOf(galley.metrics, "istio_mcp_request_acks_total")).toContain(
      `{component="galley",collection="${entries}"} 1`,
    );
    expect(await valuesOf(galley.metrics, "binnacle_mcp_push_size_bytes")).toContain(
      `_count{collection="${entries}"} 1`,
    );
    expect(await valuesOf(galley.metrics, "istio_mcp_reconnections")).toEqual([]);
    expect(await valuesOf(pilot.metrics, "istio_mcp_request_acks_total")).toContain(
      `{component="pilot",collection="${entries}"} 1`,
    );
    expect(await valuesOf(pilot.metrics, "istio_mcp_reconnections")).toEqual(['{component="pilot"} 1']);
    expect(fieldsOf(galley, "mcp sink connected")).toMatchObject([{ scope: "mcp" }]);
  });

  test("calls a sink, and counts the call under its own component", async () => {
    const pilot = wiredServer({ sources: [`mcp+listen://${anyPort}`] }, { ownSources: [] });
    onTestFinished(() => passing(pilot.clock, pilot.lifecycle.stop()));
    const ready = pilot.lifecycle.start();
    const addresses = () => pilot.logger.lines.flatMap(({ fields }) => ("address" in fields ? [fields.address] : []));
    await until(() => addresses().length > 0);
    const address = String(addresses()[0]);
    const galley = await publishing(wired, { mcp: "off", mcpSink: `mcp://${address}`, mcpTrace: true });
    await passing(pilot.clock, ready);
    expect(await config(galley)).toMatchObject({ Sinks: [{ Peer: expect.stringContaining(address) }] });
    expect(await config(pilot)).toMatchObject({ Galleys: [{ Attached: true }] });
    expect([...pilot.environment.services.values()].map(({ hostname }) => hostname)).toEqual(["reviews.example"]);
    expect(await valuesOf(galley.metrics, "istio_mcp_reconnections")).toEqual(['{component="galley"} 1']);
    expect(fieldsOf(galley, "mcp message")).toContainEqual(expect.objectContaining({ component: "galley" }));
    expect(await valuesOf(pilot.metrics, "istio_mcp_reconnections")).toEqual([]);
  });

  test("calls no sink without the certificate of its settings", async () => {
    const nowhere = { mcpTlsCert: "/nowhere/cert", mcpTlsKey: "/nowhere/key", mcpTlsCa: ["/nowhere/ca"] };
    const galley = wired({ mcp: "off", mcpSink: "mcp://127.0.0.1:1", mcpSinkAuth: "MUTUAL", ...nowhere });
    await expect(passing(galley.clock, galley.lifecycle.start())).rejects.toThrow(/^--mcp-sink: .*\/nowhere\//u);
  });

  test.each([true, false])("traces messages in both directions, if its settings say so: %s", async (mcpTrace) => {
    const galley = await publishing(wired, { mcpTrace });
    const pilot = await readingFrom(`mcp://${galley.listeners.addresses.mcp}`, { mcpTrace });
    for (const [server, component] of [
      [galley, "galley"],
      [pilot, "pilot"],
    ] as const) {
      const messages = fieldsOf(server, "mcp message");
      const directions = new Set(messages.map((fields) => "direction" in fields && fields.direction));
      expect(directions).toEqual(new Set(mcpTrace ? ["in", "out"] : []));
      for (const fields of messages) expect(fields).toMatchObject({ scope: "mcp", component });
    }
  });

  test("tells a sink its version and the metadata of its settings", async () => {
    const { listeners } = await publishing(wired, { mcpSinkMeta: ["zone=east"] });
    const { headers, until: soon } = await rawSink(listeners.addresses.mcp);
    await soon(() => headers.length > 0);
    expect(headers).toMatchObject([{ "config.source.version": "test", zone: "east" }]);
  });

  test.each([
    ["empty", 1, []],
    ["reject", 0, [GrpcStatus.INVALID_ARGUMENT]],
  ] as const)("answers requests for unknown collections as its settings say: %s", async (mode, answers, codes) => {
    const { listeners, logger } = await publishing(wired, { mcpUnknownCollections: mode });
    const sink = await rawSink(listeners.addresses.mcp);
    sink.ask("istio/unknown");
    await sink.until(() => sink.codes.length + sink.pushes() > 0);
    expect([sink.pushes(), sink.codes]).toEqual([answers, codes]);
    expect(logger.messages("warn")).toContain("mcp collection not served");
  });

  test("refuses requests that are larger than its settings allow", async () => {
    const { listeners } = await publishing(wired, { mcpMaxRequestBytes: 1_000 });
    const sink = await rawSink(listeners.addresses.mcp);
    sink.ask("x".repeat(2_000));
    await sink.until(() => sink.codes.length + sink.pushes() > 0);
    expect([sink.pushes(), sink.codes]).toEqual([0, [GrpcStatus.RESOURCE_EXHAUSTED]]);
  });

  test("lets a sink ask as often as its settings say", async () => {
    const galley = await publishing(wired, { mcpRequestIntervalMs: 3_600_000, mcpRequestBurst: 2 });
    const sink = await rawSink(galley.listeners.addresses.mcp);
    for (const kind of ["gateways", "serviceentries", "virtualservices"]) sink.ask(`istio/networking/v1alpha3/${kind}`);
    const received = async () => (await config(galley)).Sinks[0]?.LatestRequests.length ?? 0;
    while ((await received()) < 3) await turns(1);
    const pushed = async () => (await valuesOf(galley.metrics, "binnacle_mcp_push_size_bytes")).filter(isCount).length;
    expect([await valuesOf(galley.metrics, "binnacle_mcp_throttled_total"), await pushed()]).toEqual([["1"], 2]);
    galley.clock.advance(3_599_000);
    expect(await pushed()).toBe(2);
    galley.clock.advance(1_000);
    expect(await pushed()).toBe(3);
  });

  test("lets a client open streams as often as its settings say", async () => {
    const galley = await publishing(wired, { mcpStreamIntervalMs: 3_600_000, mcpStreamBurst: 1 });
    const [first, second] = [
      await rawSink(galley.listeners.addresses.mcp),
      await rawSink(galley.listeners.addresses.mcp),
    ];
    for (const sink of [first, second]) {
      sink.ask(entries);
      await sink.until(() => sink.codes.length + sink.pushes() > 0);
    }
    expect([first.pushes(), first.codes]).toEqual([1, []]);
    expect([second.pushes(), second.codes]).toEqual([0, [GrpcStatus.RESOURCE_EXHAUSTED]]);
  });

  test("ends the streams of its sinks when it stops", async () => {
    // With no time for draining, the connection may be closed before the status has left.
    const galley = await publishing(wired, { drainMs: 10_000 });
    const sink = await rawSink(galley.listeners.addresses.mcp);
    sink.ask(entries);
    await sink.until(() => sink.pushes() === 1);
    await passing(galley.clock, galley.lifecycle.stop());
    await sink.until(() => sink.codes.length > 0);
    expect(sink.codes).toEqual([GrpcStatus.UNAVAILABLE]);
    expect(await valuesOf(galley.metrics, "istio_mcp_clients_total")).toEqual([]);
  });
});

/** A sink on a socket that sends only the requests of the test. */
async function rawSink(address: string) {
  const client = createGrpcClient({ address, logger: new RecordingLogger() });
  onTestFinished(() => client.stop());
  await client.start();
  let pushes = 0;
  const headers: object[] = [];
  const codes: (number | undefined)[] = [];
  const stream = client.open(resourceSourcePath, (received) => void headers.push(received));
  stream.attach({
    onMessage: () => void (pushes += 1),
    onFlushed: () => undefined,
    onClose: (reason) => void codes.push(reason.type === "server" ? reason.status?.code : undefined),
  });
  return {
    headers,
    codes,
    pushes: () => pushes,
    ask: (collection: string) =>
      stream.send(
        encodeSinkRequest({ id: "sink", annotations: {} }, { collection, nonce: "", incremental: false }),
        [],
      ),
    until,
  };
}
