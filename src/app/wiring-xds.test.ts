import { expect, onTestFinished, test } from "vitest";
import { GrpcStatus, type Metadata } from "../lib/grpc/grpc-stream.ts";
import { RecordingLogger } from "../testing/recording/recording-logger.ts";
import { passing, rawClient, shopEntry, started, valuesOf, wiredServer } from "../testing/server/wired-server.ts";
import { turns, until } from "../testing/until.ts";
import { createGrpcClient } from "../transport/client/grpc-client.ts";
import type { Options } from "./options/options.ts";

const adsPath = "/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources";
const healthPath = "/grpc.health.v1.Health/Check";

/** A server, and a client of its plaintext port. */
async function connected(settings: Partial<Options> = {}, metadata: Metadata = {}) {
  const server = await started(wiredServer(settings));
  const address = server.listeners.addresses.xds;
  const client = createGrpcClient({ address, logger: new RecordingLogger(), metadata });
  onTestFinished(() => client.stop());
  await client.start();
  const open = (path = adsPath) => {
    const heard = { codes: [] as (number | undefined)[], messages: [] as Uint8Array[] };
    const stream = client.open(path);
    stream.attach({
      onMessage: (bytes) => void heard.messages.push(bytes),
      onFlushed: () => undefined,
      onClose: (reason) => void heard.codes.push(reason.type === "server" ? reason.status?.code : undefined),
    });
    return { ...heard, stream };
  };
  return { ...server, open };
}

test("a request that is larger than the settings allow ends its stream", async () => {
  const { open } = await connected({ maxRequestBytes: 1_000 });
  const { stream, codes } = open();
  stream.send(new Uint8Array(2_000), []);
  await until(() => codes.length > 0);
  expect(codes).toEqual([GrpcStatus.RESOURCE_EXHAUSTED]);
});

test("the health service says that proxies are served", async () => {
  const { open } = await connected();
  const { stream, messages } = open(healthPath);
  stream.send(new Uint8Array(), []);
  await until(() => messages.length > 0);
  // The field `status` is SERVING.
  expect([...(messages[0] ?? [])]).toEqual([8, 1]);
});

test("only operators see the status of clients: not one whose call was passed on", async () => {
  const path = "/envoy.service.status.v3.ClientStatusDiscoveryService/FetchClientStatus";
  const ask = async (metadata: Metadata) => {
    const { stream, codes, messages } = (await connected({}, metadata)).open(path);
    stream.send(new Uint8Array(), []);
    await until(() => codes.length > 0);
    return { messages: messages.length, codes };
  };
  expect(await ask({})).toEqual({ messages: 1, codes: [GrpcStatus.OK] });
  expect(await ask({ "x-forwarded-for": "10.0.0.9" })).toEqual({ messages: 0, codes: [GrpcStatus.PERMISSION_DENIED] });
});

test("a stopped server pushes nothing that still waits", async () => {
  const { source, clock, lifecycle, discovery } = await started(wiredServer({ debounceAfterMs: 60_000 }));
  const before = discovery.catalogue.published.sequence;
  source.apply(shopEntry("reviews"));
  expect(discovery.settled).toBe(false);
  await passing(clock, lifecycle.stop());
  clock.advance(60_000);
  await turns(50);
  expect(discovery.catalogue.published.sequence).toBe(before);
});

test.each([
  [true, GrpcStatus.UNAUTHENTICATED],
  [false, GrpcStatus.INVALID_ARGUMENT],
])("the plaintext port asks for credentials: %s", async (xdsAuthPlaintext, code) => {
  const { open } = await connected({ xdsAuthPlaintext });
  const { stream, codes } = open();
  // A request without a node is invalid, but only a client that is let in learns that.
  stream.send(new Uint8Array(), []);
  await until(() => codes.length > 0);
  expect(codes).toEqual([code]);
});

test("clients of configuration are in the log and in the metrics", async () => {
  const server = wiredServer({ domain: "mesh.example", configOverXds: "anyone" });
  server.source.apply(shopEntry("reviews"));
  await started(server);
  server.clock.advance(10_000);
  const client = rawClient(server.discovery, { address: "10.0.0.9:1" });
  const type = "networking.istio.io/v1/ServiceEntry";
  client.ask(type, { id: "pilot-0", metadata: { GENERATOR: "api" } });
  await server.discovery.idle();
  expect(client.answers).toHaveLength(1);
  const lines = server.logger.lines.filter(({ fields }) => "scope" in fields && fields.scope === "mcp");
  expect(lines.map(({ fields }) => fields)).toContainEqual(expect.objectContaining({ node: "pilot-0" }));
  const collection = "istio/networking/v1alpha3/serviceentries";
  expect(await valuesOf(server.metrics, "binnacle_mcp_push_size_bytes")).toContain(
    `_count{collection="${collection}"} 1`,
  );
  server.clock.advance(10_000);
  server.source.apply(shopEntry("ratings"));
  server.clock.advance(10_000);
  expect(server.logger.lines).toContainEqual(
    expect.objectContaining({ level: "warn", fields: expect.objectContaining({ scope: "mcp", node: "pilot-0" }) }),
  );
  client.answer(type, client.answers.at(-1)?.nonce ?? "", "planted");
  expect(await valuesOf(server.metrics, "istio_mcp_request_nacks_total")).toEqual([
    `{component="xds",collection="${collection}",code="InvalidArgument"} 1`,
  ]);
});

test("clients of configuration get hosts with the domain of the settings", async () => {
  const server = wiredServer({ domain: "mesh.example" });
  server.source.apply(`
apiVersion: networking.istio.io/v1
kind: DestinationRule
metadata: { name: reviews, namespace: shop }
spec: { host: reviews }
`);
  await started(server);
  server.clock.advance(10_000);
  const client = rawClient(server.discovery);
  client.ask("networking.istio.io/v1/DestinationRule", { id: "pilot-0", metadata: { GENERATOR: "api" } });
  await server.discovery.idle();
  const texts = client.answers.flatMap(({ resources }) => resources.map(({ value }) => Buffer.from(value).toString()));
  expect(texts).toEqual([expect.stringContaining("reviews.shop.svc.mesh.example")]);
});

test("a client that may not read configuration is a line of the log", async () => {
  const server = await started(wiredServer());
  server.clock.advance(10_000);
  const client = rawClient(server.discovery, { address: "10.0.0.9:1" });
  client.ask("networking.istio.io/v1/DestinationRule", { id: "pilot-0", metadata: { GENERATOR: "api" } });
  await server.discovery.idle();
  expect(client.client.status?.code).toBe(GrpcStatus.UNAUTHENTICATED);
  const warnings = server.logger.lines.filter(({ level }) => level === "warn");
  expect(warnings.map(({ fields }) => fields)).toMatchObject([{ scope: "mcp", reason: expect.any(String) }]);
});
