import { describe, expect, test } from "vitest";
import { GrpcStatus } from "../lib/grpc/grpc-stream.ts";
import { YamlSource } from "../testing/galley/yaml-source.ts";
import { FaultyLogger } from "../testing/recording/faulty-logger.ts";
import { RecordingLogger } from "../testing/recording/recording-logger.ts";
import {
  pageOf,
  rawClient,
  shopEntry,
  started,
  valuesOf,
  wiredGalley,
  wiredServer,
} from "../testing/server/wired-server.ts";
import { turns, until } from "../testing/until.ts";
import { createGrpcClient } from "../transport/client/grpc-client.ts";
import { clusterType } from "../xds/type-urls.ts";
import { protocolDefaults } from "./pipeline.ts";

const sidecar = { id: "sidecar~10.0.0.9~web-0.shop~shop.svc.cluster.local" };

async function serving(...args: Parameters<typeof wiredServer>) {
  const server = wiredServer(...args);
  server.source.apply(shopEntry("reviews"));
  return await started(server);
}

describe("settings of Pilot", () => {
  test("its endpoints belong to the cluster of the settings", async () => {
    const { environment } = await serving({ clusterId: "east" });
    const endpoints = [...environment.endpoints.values()].flatMap((each) => each.endpoints);
    expect(endpoints.map(({ clusterId }) => clusterId)).toEqual(["east"]);
  });

  test.each([
    [true, "shop"],
    [false, undefined],
  ])("Gateways select workloads of their own namespace alone: %s", async (scopeGatewayToNamespace, selectsIn) => {
    const { source, environment } = await serving({ scopeGatewayToNamespace });
    source.apply(`
apiVersion: networking.istio.io/v1
kind: Gateway
metadata: { name: edge, namespace: shop }
spec: { selector: { app: edge }, servers: [{ port: { number: 80, name: http, protocol: HTTP }, hosts: ["*"] }] }
`);
    expect([...environment.gateways.values()].map((gateway) => gateway.selectsIn)).toEqual([selectsIn]);
  });

  test("an embedding program may set the protocol", async () => {
    const { discovery, source, clock } = await serving({}, { protocol: { ...protocolDefaults, flowControl: false } });
    const proxy = rawClient(discovery);
    proxy.ask(clusterType, sidecar);
    await discovery.idle();
    source.apply(shopEntry("ratings"));
    clock.advance(1_000);
    await discovery.idle();
    expect(proxy.answers).toHaveLength(2);
  });

  test("a push lets the event loop turn, so that sockets and timers go on", async () => {
    const { discovery, source, clock } = await serving({ flowControl: false });
    const proxy = rawClient(discovery);
    proxy.ask(clusterType, sidecar);
    await discovery.idle();
    source.apply(shopEntry("ratings"));
    clock.advance(1_000);
    for (let task = 0; task < 10_000; task += 1) await Promise.resolve();
    expect(proxy.answers).toHaveLength(1);
    await until(() => proxy.answers.length === 2);
  });

  test("a client without credentials is refused, and counted", async () => {
    const server = await serving({ xdsAuthPlaintext: true });
    const client = createGrpcClient({ address: server.listeners.addresses.xds, logger: new RecordingLogger() });
    await client.start();
    const codes: (number | undefined)[] = [];
    const path = "/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources";
    client.open(path).attach({
      onMessage: () => undefined,
      onFlushed: () => undefined,
      onClose: (reason) => void codes.push(reason.type === "server" ? reason.status?.code : undefined),
    });
    await until(() => codes.length > 0);
    await client.stop();
    expect(codes).toEqual([GrpcStatus.UNAUTHENTICATED]);
    expect(await valuesOf(server.metrics, "binnacle_xds_refused_total")).toEqual(["1"]);
  });
});

describe.each([
  ["a server", wiredServer],
  ["Galley alone", wiredGalley],
])("settings of Galley, in %s", (_, wired) => {
  test.each([
    [true, "warning"],
    [false, "error"],
  ])("objects that are not enforced are allowed: %s", async (allowUnenforced, severity) => {
    const server = wired({ allowUnenforced });
    const issues = server.source.applyValid(`
apiVersion: authentication.istio.io/v1alpha1
kind: Policy
metadata: { name: default, namespace: shop }
spec: { peers: [{ jwt: { issuer: a } }] }
`);
    server.source.report("a.yaml", issues);
    await started(server);
    const found = [...server.processor.issues.values()].flatMap((part) => part.issues);
    expect(found.map((issue) => [issue.code, issue.severity])).toEqual([["no-effect", severity]]);
    expect(await valuesOf(server.metrics, "binnacle_config_issues")).toEqual([`{severity="${severity}"} 1`]);
    const { messages } = JSON.parse((await pageOf(server, "/debug/analysis")).body);
    expect(messages).toMatchObject([{ origin: "Policy shop/default" }]);
  });

  test("a line that cannot be logged is a failure of the log, and nothing else", async () => {
    const logger = new FaultyLogger();
    const source = new YamlSource("test");
    const server = wired({}, { logger, ownSources: [source] });
    await started(server);
    logger.failOn("config accepted");
    source.apply(shopEntry("reviews"));
    expect(server.processor.objects).toBe(1);
    expect(await valuesOf(server.metrics, "binnacle_part_failures_total")).toEqual(['{part="log"} 1']);
    expect(logger.lines.filter(({ level }) => level === "error")).toEqual([
      {
        level: "error",
        message: "part failed, other parts continue",
        fields: expect.objectContaining({ scope: "server", part: "log", line: "config accepted" }),
      },
    ]);
  });

  test("replaced sources are a line of the scope of sources", async () => {
    const server = await started(wired());
    await server.sources.replace(["file:./src/app/log"], server.processor);
    await turns(1);
    expect(server.logger.lines).toContainEqual({
      level: "info",
      message: "sources replaced",
      fields: { scope: "source", added: ["file:./src/app/log"], removed: [] },
    });
  });
});
