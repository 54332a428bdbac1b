import { Client, credentials, Metadata, type ServiceError, status } from "@grpc/grpc-js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { healthService } from "../../scripts/peers/grpc-js/health.ts";
import { explain, type ProxyConfig } from "../../src/explain/explain.ts";
import { startBinnacle } from "./support/binnacle/server.ts";
import { gatewayNode, sidecarNode } from "./support/envoy/bootstrap.ts";
import { startEnvoy } from "./support/envoy/envoy.ts";
import { gatewayYaml } from "./support/envoy/shop.ts";
import { freePort } from "./support/free-port.ts";
import { startGrpcEcho } from "./support/grpc/grpc-echo.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { describeWith } from "./support/peers.ts";
import { configOf } from "./support/xds/held-config.ts";
import { objectYaml } from "./support/yaml.ts";

const describeWithEnvoy = await describeWith("envoy");
const host = "chat.example.com";
const { path, requestSerialize, responseDeserialize } = healthService.check;
const subset = (name: string) => [{ destination: { host, subset: name } }];

const http = [
  { match: [{ headers: { "x-user": { exact: "jason" } } }], route: subset("v2") },
  {
    match: [{ headers: { "x-fault": {} } }],
    fault: { abort: { grpcStatus: "RESOURCE_EXHAUSTED", percentage: { value: 100 } } },
    route: subset("v1"),
  },
  { match: [{ uri: { prefix: "/other.Service/" } }], route: subset("v2") },
  { match: [{ headers: { "x-nobody": {} } }], route: [{ destination: { host: "nobody.example.com" } }] },
  { match: [{ uri: { exact: path } }], route: subset("v1") },
];

/** The workload that answers, or the gRPC status, and the outcome of the explanation. */
const rows = [
  { name: "a call by its service and method", headers: {}, answer: "v1", told: ["v1"] },
  { name: "a call by a header", headers: { "x-user": "jason" }, answer: "v2", told: ["v2"] },
  { name: "a fault with a gRPC status", headers: { "x-fault": "yes" }, answer: "RESOURCE_EXHAUSTED", told: "response" },
  { name: "a missing destination", headers: { "x-nobody": "1" }, answer: "UNAVAILABLE", told: "refused" },
] as const;

interface World extends AsyncDisposable {
  readonly gateway: { readonly port: number; readonly config: ProxyConfig };
  readonly sidecar: { readonly port: number; readonly config: ProxyConfig };
  readonly names: ReadonlyMap<string, string>;
}

async function openWorld(): Promise<World> {
  const stack = new AsyncDisposableStack();
  const [gatewayPort, port] = [await freePort(), await freePort()];
  const echoes = [stack.use(await startGrpcEcho("v1")), stack.use(await startGrpcEcho("v2"))];
  const mesh = stack.use(
    new MeshDir({
      "gateway.yaml": gatewayYaml(gatewayPort, host).replace("protocol: HTTP", "protocol: GRPC"),
      "chat.yaml": objectYaml("ServiceEntry", "chat", {
        hosts: [host],
        location: "MESH_INTERNAL",
        resolution: "STATIC",
        ports: [{ number: port, name: "grpc", protocol: "GRPC" }],
        endpoints: echoes.map((echo) => ({
          address: "127.0.0.1",
          ports: { grpc: echo.port },
          labels: { version: echo.name },
        })),
      }),
      "rule.yaml": objectYaml("DestinationRule", "chat", {
        host,
        subsets: ["v1", "v2"].map((version) => ({ name: version, labels: { version } })),
      }),
      "routes.yaml": objectYaml("VirtualService", "chat", {
        hosts: [host],
        gateways: ["istio-system/public", "mesh"],
        http,
      }),
    }),
  );
  const { xdsPort } = stack.use(await startBinnacle({ dir: mesh.path }));
  const gateway = stack.use(await startEnvoy({ xdsPort, mode: "delta" }));
  const sidecar = stack.use(await startEnvoy({ xdsPort, mode: "sotw", node: sidecarNode }));
  await Promise.all([gateway.settled(), sidecar.settled()]);
  return {
    gateway: { port: gatewayPort, config: await configOf(gatewayNode, xdsPort, [`http.${gatewayPort}.127.0.0.1`]) },
    sidecar: { port, config: await configOf(sidecarNode, xdsPort, [String(port)]) },
    names: new Map(echoes.map((echo) => [`127.0.0.1:${echo.port}`, echo.name])),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** The name of the workload that answered, or the status. */
function call(port: number, headers: Readonly<Record<string, string>>): Promise<string> {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), { "grpc.default_authority": host });
  const metadata = Metadata.fromHttp2Headers({ ...headers });
  const { promise, resolve } = Promise.withResolvers<string>();
  const ended = (error: ServiceError | null) => {
    client.close();
    if (error !== null) resolve(status[error.code] ?? "");
  };
  client
    .makeUnaryRequest(
      path,
      requestSerialize,
      responseDeserialize,
      Buffer.alloc(0),
      metadata,
      { deadline: Date.now() + 5000 },
      ended,
    )
    .on("metadata", (answered: Metadata) => resolve(String(answered.get("x-echo")[0] ?? "")));
  return promise;
}

describeWithEnvoy("gRPC calls", () => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld();
  });
  afterAll(() => world[Symbol.asyncDispose]());

  describe.each(["gateway", "sidecar"] as const)("through a %s", (way) => {
    test.each(rows)("$name: $answer", async ({ headers, answer, told }) => {
      const { port, config } = world[way];
      expect(await call(port, headers)).toBe(answer);
      const sent = { ...headers, "content-type": "application/grpc" };
      const request = { port, host, path, method: "POST", headers: sent, protocol: "http2" } as const;
      const { outcome, steps } = explain(config, request);
      const endpoints = steps.flatMap((step) => (step.type === "cluster" ? step.endpoints : []));
      const names = endpoints.map(({ address }) => world.names.get(address));
      expect(outcome.type === "forwarded" ? names : outcome.type).toEqual(told);
    });
  });
});
