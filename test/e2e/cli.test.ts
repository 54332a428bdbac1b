import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { peerPath } from "../../scripts/peer.ts";
import { runCommand } from "../../src/testing/recording/run-command.ts";
import { binnacleEnded, type Ended, ended } from "./support/binnacle/command.ts";
import { startBinnacle } from "./support/binnacle/server.ts";
import { main } from "./support/checkout.ts";
import { Child } from "./support/child.ts";
import { startEnvoyWith } from "./support/envoy/envoy.ts";
import { openShop, splitYaml } from "./support/envoy/shop.ts";
import { GrpcPeerClient } from "./support/grpc/grpc-client.ts";
import { startGrpcEcho } from "./support/grpc/grpc-echo.ts";
import { get } from "./support/http.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { describeWith } from "./support/peers.ts";
import { serviceYaml } from "./support/yaml.ts";

const describeWithEnvoy = await describeWith("envoy");
const bookinfo = "examples/bookinfo";
const malformed = "test/scenarios/malformed";
const gateway = ["--node", "router~gw-0.istio-system"];

/** Settings of bootstraps that an Envoy has to accept. */
const configuredMesh = JSON.stringify({
  apiVersion: "mesh.istio.io/v1alpha1",
  kind: "MeshConfig",
  metadata: { name: "mesh" },
  spec: {
    defaultConfig: {
      concurrency: 2,
      statsdUdpAddress: "127.0.0.1:8125",
      tracing: { zipkin: { address: "localhost:9411" }, tlsSettings: { mode: "SIMPLE", sni: "collector" } },
      envoyAccessLogService: { address: "localhost:1", tcpKeepalive: { probes: 3, time: "4s", interval: "5s" } },
      envoyMetricsService: { address: "localhost:2" },
      extraStatTags: ["shop"],
      runtimeValues: { "shop.enabled": "1" },
      connectionSettings: { globalDownstreamConnectionLimit: 5 },
    },
  },
});

/** In a shell that knows the command by its name. */
function inShell(line: string): Promise<Ended> {
  const command = `binnacle() { "${process.execPath}" "${main}" "$@"; }`;
  return ended("bash", ["-c", `set -o pipefail; ${command}; ${line}`]);
}

function serviceEntries(count: number): string {
  const names = Array.from({ length: count }, (_, index) => `s${index}`);
  return names.map((name) => serviceYaml({ name, port: 80, endpoints: [{ port: 8080 }] })).join("---\n");
}

describe("the executable", () => {
  test("prints data on stdout and the rest on stderr, and ends with the documented codes", async () => {
    expect(await binnacleEnded(["validate", bookinfo])).toEqual({
      code: 0,
      stdout: "",
      stderr: expect.stringMatching(/^\d+ valid objects, no issues\n$/u),
    });
    const bad = await binnacleEnded(["validate", malformed]);
    expect(bad.code).toBe(1);
    expect(bad.stdout).toMatch(/^test\/scenarios\/malformed\/01-tab-indentation\.yaml:\d+:\d+: /u);
    expect(bad.stdout).not.toContain("\u001B");
    expect(bad.stderr).toMatch(/^\d+ valid objects, \d+ errors and \d+ warnings\n$/u);
    expect(await binnacleEnded(["validate"])).toMatchObject({ code: 2, stdout: "" });
    expect(await binnacleEnded([])).toMatchObject({ code: 2, stderr: "" });
  });

  test("survives a reader that closes the pipe", async () => {
    using mesh = new MeshDir({ "many.yaml": serviceEntries(500) });
    const translated = await inShell(`binnacle translate ${mesh.path} ${gateway.join(" ")} --label app=none | head -1`);
    expect(translated).toEqual({ code: 0, stdout: "{\n", stderr: "no listeners: no Gateway selects app=none\n" });
    const validated = await inShell(`binnacle validate ${malformed} | head -1`);
    expect(validated.code).toBe(1);
    expect(validated.stderr).not.toContain("EPIPE");
  });

  test("reads objects from stdin", async () => {
    const { code, stderr } = await binnacleEnded(["validate", "-"], { input: serviceEntries(3) });
    expect([code, stderr]).toEqual([0, "3 valid objects, no issues\n"]);
    const piped = await inShell(`cat ${malformed}/05-unknown-field.yaml | binnacle validate -f -`);
    expect(piped).toMatchObject({ code: 1, stdout: expect.stringMatching(/^<stdin>:20:3: error unknown-field /u) });
  });
});

describe("a command", () => {
  test.each([
    ["validate", malformed],
    ["translate", bookinfo, ...gateway],
    ["bootstrap", "envoy", ...gateway],
    ["bootstrap", "grpc", "--node", "sidecar~client-0.default"],
    ["explain", bookinfo, "--from", "sidecar~web-0.bookinfo", "http://reviews:9080/"],
    ["version"],
  ])("%s prints the same data as JSON and as YAML", async (...args) => {
    const [json, yaml] = [await runCommand([...args, "-o", "json"]), await runCommand([...args, "-o", "yaml"])];
    expect(parse(yaml.stdout)).toEqual(JSON.parse(json.stdout));
    expect(yaml.code).toBe(json.code);
  });
});

describe("a gRPC client", () => {
  test("with the printed bootstrap reaches a service by its name", async () => {
    await using echo = await startGrpcEcho("v1");
    const endpoints = [{ port: echo.port }];
    using mesh = new MeshDir({ "echo.yaml": serviceYaml({ name: "echo", port: 9080, protocol: "GRPC", endpoints }) });
    await using server = await startBinnacle({ dir: mesh.path });
    const address = ["--xds", server.addresses.xds];
    const { stdout } = await runCommand(["bootstrap", "grpc", "--node", "sidecar~client-0.default", ...address]);
    const script = fileURLToPath(import.meta.resolve("../../scripts/peers/grpc-js/main.ts"));
    const env = { ...process.env, GRPC_XDS_BOOTSTRAP_CONFIG: stdout, no_grpc_proxy: "127.0.0.1" };
    const args = [script, "client", "xds:///echo.shop.svc.cluster.local:9080"];
    await using client = new GrpcPeerClient(new Child(process.execPath, args, { env, listens: true }));
    expect(await client.many(5)).toEqual(new Map([["v1", 5]]));
  });
});

describeWithEnvoy("an Envoy", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "binnacle-cli-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each([
    ["json", gateway],
    ["yaml", [...gateway, "--delta", "--xds", "[::1]:15010"]],
    ["json", ["--node", "sidecar~web-0.default", "--interception", "REDIRECT", "--xds", "localhost:15010"]],
    ["yaml", ["--node", "sidecar~web-0.default", "--cert", "cert.pem", "--key", "key.pem", "--ca", "ca.pem"]],
    ["json", ["--node", "sidecar~web-0.default", "--sds", "agent", "--sds-socket", "./agent.sock"]],
    ["json", ["-", "--node", "sidecar~web-0.default"]],
  ])("accepts the printed bootstrap, as %s: %j", async (notation, args) => {
    const printed = await runCommand(["bootstrap", "envoy", ...args, "-o", notation], { input: configuredMesh });
    expect(printed.code).toBe(0);
    expect(printed.stderr).toBe(args.includes("-") ? "note: start Envoy with the flags --concurrency 2" : "");
    const file = join(folder, `envoy.${notation}`);
    writeFileSync(file, printed.stdout);
    const validated = await ended(await peerPath("envoy"), ["--mode", "validate", "-c", file, "-l", "error"]);
    expect(validated).toMatchObject({ code: 0, stdout: expect.stringContaining("OK") });
  });

  test("receives the output of translate, and its traffic goes where explain says", async () => {
    await using shop = await openShop(splitYaml(100, 0));
    await using server = await startBinnacle({ dir: shop.mesh.path });
    const xds = ["--xds", server.addresses.xds];
    const bootstrap = await runCommand(["bootstrap", "envoy", ...gateway, ...xds, "--delta"]);
    await using envoy = await startEnvoyWith(JSON.parse(bootstrap.stdout));
    await envoy.settled();

    const { body } = await get(server.httpPort, "/debug/resources?proxyID=gw-0.istio-system");
    // An Envoy asks for no extensions where its listeners have none.
    expect({ ...sentIn(JSON.parse(body)), extensions: [] }).toEqual(
      JSON.parse((await runCommand(["translate", shop.mesh.path, ...gateway])).stdout),
    );

    const request = [`http://shop.example.com:${shop.port}/`, "-o", "json"];
    const fromFiles = await runCommand(["explain", shop.mesh.path, "--from", "router~gw-0.istio-system", ...request]);
    const { http } = server.addresses;
    const fromServer = await runCommand(["explain", "--server", http, "--from", "gw-0.istio-system", ...request]);
    expect(fromServer).toEqual(fromFiles);
    expect(fromFiles.code).toBe(0);
    expect(fromFiles.stdout).toContain(`127.0.0.1:${shop.workloads.v1.port}`);
    expect(fromFiles.stdout).toContain(join(shop.mesh.path, "routes.yaml:1"));
    const answer = await get(shop.port, "/", { host: `shop.example.com:${shop.port}` });
    expect(answer.headers["x-echo"]).toBe("v1");
  });
});

interface ServedDump {
  readonly types: readonly {
    readonly type_url: string;
    readonly resources: readonly { readonly resource: Readonly<Record<string, unknown>> }[];
  }[];
}

const plurals = new Map([
  ["Cluster", "clusters"],
  ["ClusterLoadAssignment", "endpoints"],
  ["Listener", "listeners"],
  ["RouteConfiguration", "routes"],
]);

/** A server's dump in the shape that translate prints. */
function sentIn({ types }: ServedDump): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    types.map(({ type_url, resources }) => {
      const plural = plurals.get(type_url.slice(type_url.lastIndexOf(".") + 1));
      return [plural, resources.map(({ resource: { "@type": _type, ...body } }) => body)];
    }),
  );
}
