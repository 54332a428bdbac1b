import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { peerPath } from "../../scripts/peer.ts";
import { startBinnacle } from "./support/binnacle/server.ts";
import { root } from "./support/checkout.ts";
import { Child } from "./support/child.ts";
import { startEnvoyWith } from "./support/envoy/envoy.ts";
import { openShop, splitYaml } from "./support/envoy/shop.ts";
import { GrpcClient } from "./support/grpc/grpc-client.ts";
import { startGrpcEcho } from "./support/grpc/grpc-echo.ts";
import { get } from "./support/http.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { describeWith } from "./support/peers.ts";

const describeWithEnvoy = await describeWith("envoy");
const main = join(root, "src/cli/main.ts");
const bookinfo = "examples/bookinfo";
const malformed = "test/scenarios/malformed";
const gateway = ["--node", "router~gw-0.istio-system"];

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command to its end, which must come soon: a watcher that was left open would keep it alive. */
function ended(command: string, args: readonly string[], input = ""): Promise<Ended> {
  return new Promise((settle, fail) => {
    const options = { cwd: root, timeout: 30_000, maxBuffer: 1 << 26 };
    const child = execFile(command, args, options, (error, stdout, stderr) => {
      const code = error === null ? 0 : error.code;
      if (typeof code === "number") settle({ code, stdout, stderr });
      else fail(error ?? new Error("no exit code"));
    });
    child.stdin?.end(input);
  });
}

function binnacle(...args: readonly string[]): Promise<Ended> {
  return ended(process.execPath, [main, ...args]);
}

/** In a shell that knows the command by its name. */
function inShell(line: string): Promise<Ended> {
  const command = `binnacle() { "${process.execPath}" "${main}" "$@"; }`;
  return ended("bash", ["-c", `set -o pipefail; ${command}; ${line}`]);
}

function serviceEntries(count: number): string {
  const entries = Array.from({ length: count }, (_, index) =>
    JSON.stringify({
      apiVersion: "networking.istio.io/v1",
      kind: "ServiceEntry",
      metadata: { name: `s${index}`, namespace: "shop" },
      spec: {
        hosts: [`s${index}.example.com`],
        ports: [{ number: 80, name: "http", protocol: "HTTP" }],
        resolution: "DNS",
      },
    }),
  );
  return entries.join("\n---\n");
}

describe("the executable", () => {
  test("has data on stdout, the rest on stderr, and ends with the codes that scripts rely on", async () => {
    expect(await binnacle("validate", bookinfo)).toEqual({
      code: 0,
      stdout: "",
      stderr: expect.stringMatching(/^\d+ valid objects, no issues\n$/u),
    });
    const bad = await binnacle("validate", malformed);
    expect(bad.code).toBe(1);
    expect(bad.stdout).toMatch(/^test\/scenarios\/malformed\/01-tab-indentation\.yaml:\d+:\d+: /u);
    // oxlint-disable-next-line no-control-regex
    expect(bad.stdout).not.toMatch(/\u001B/u);
    expect(bad.stderr).toMatch(/^\d+ valid objects, \d+ errors and \d+ warnings\n$/u);
    expect(await binnacle("validate")).toMatchObject({ code: 2, stdout: "" });
    expect(await binnacle()).toMatchObject({ code: 2, stderr: "" });
  });

  test.each([
    ["validate", malformed],
    ["translate", bookinfo, ...gateway],
    ["bootstrap", "envoy", ...gateway],
    ["bootstrap", "grpc", "--node", "sidecar~client-0.default"],
    ["explain", bookinfo, "--from", "sidecar~web-0.bookinfo", "http://reviews:9080/"],
    ["version"],
  ])("%s prints the same data as JSON and as YAML", async (...args) => {
    const [json, yaml] = await Promise.all([binnacle(...args, "-o", "json"), binnacle(...args, "-o", "yaml")]);
    expect(parse(yaml.stdout)).toEqual(JSON.parse(json.stdout));
    expect(yaml.code).toBe(json.code);
  });

  test("does not mind a reader that has seen enough", async () => {
    using mesh = new MeshDir({ "many.yaml": serviceEntries(500) });
    const translated = await inShell(`binnacle translate ${mesh.path} ${gateway.join(" ")} --label app=none | head -1`);
    expect(translated).toEqual({ code: 0, stdout: "{\n", stderr: "no listeners: no Gateway selects app=none\n" });
    const validated = await inShell(`binnacle validate ${malformed} | head -1`);
    expect(validated.code).toBe(1);
    expect(validated.stderr).not.toContain("EPIPE");
  });

  test("reads what is piped in", async () => {
    const { code, stderr } = await ended(process.execPath, [main, "validate", "-"], serviceEntries(3));
    expect([code, stderr]).toEqual([0, "3 valid objects, no issues\n"]);
    const piped = await inShell(`cat ${malformed}/05-unknown-field.yaml | binnacle validate -f -`);
    expect(piped).toMatchObject({ code: 1, stdout: expect.stringMatching(/^<stdin>:20:3: error unknown-field /u) });
  });
});

describe("a gRPC client", () => {
  test("with the printed bootstrap reaches a service by its name", async () => {
    await using echo = await startGrpcEcho("v1");
    using mesh = new MeshDir({
      "echo.yaml": `apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: echo, namespace: shop}
spec:
  hosts: [echo.shop.svc.cluster.local]
  location: MESH_INTERNAL
  resolution: STATIC
  ports: [{number: 9080, name: grpc, protocol: GRPC}]
  endpoints: [{address: 127.0.0.1, ports: {grpc: ${echo.port}}}]
`,
    });
    await using server = await startBinnacle({ dir: mesh.path });
    const address = ["--xds", `127.0.0.1:${server.xdsPort}`];
    const { stdout } = await binnacle("bootstrap", "grpc", "--node", "sidecar~client-0.default", ...address);
    const script = fileURLToPath(import.meta.resolve("../../scripts/peers/grpc-js/main.ts"));
    const env = { ...process.env, GRPC_XDS_BOOTSTRAP_CONFIG: stdout, no_grpc_proxy: "127.0.0.1" };
    const args = [script, "client", "xds:///echo.shop.svc.cluster.local:9080"];
    await using client = new GrpcClient(new Child(process.execPath, args, { env, listens: true }));
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
  ])("accepts the printed bootstrap, as %s: %j", async (notation, args) => {
    const printed = await binnacle("bootstrap", "envoy", ...args, "-o", notation);
    expect(printed).toMatchObject({ code: 0, stderr: "" });
    const file = join(folder, `envoy.${notation}`);
    writeFileSync(file, printed.stdout);
    const validated = await ended(await peerPath("envoy"), ["--mode", "validate", "-c", file, "-l", "error"]);
    expect(validated).toMatchObject({ code: 0, stdout: expect.stringContaining("OK") });
  });

  test("is sent what translate prints, and its traffic goes where explain says", async () => {
    await using shop = await openShop(splitYaml(100, 0));
    await using server = await startBinnacle({ dir: shop.mesh.path });
    const xds = ["--xds", `127.0.0.1:${server.xdsPort}`];
    const bootstrap = await binnacle("bootstrap", "envoy", ...gateway, ...xds, "--delta");
    await using envoy = await startEnvoyWith(JSON.parse(bootstrap.stdout));
    await envoy.settled();

    const { body } = await get(server.httpPort, "/debug/resources?proxyID=gw-0.istio-system");
    expect(sentIn(JSON.parse(body))).toEqual(
      JSON.parse((await binnacle("translate", shop.mesh.path, ...gateway)).stdout),
    );

    const request = [`http://shop.example.com:${shop.port}/`, "-o", "json"];
    const fromFiles = await binnacle("explain", shop.mesh.path, "--from", "router~gw-0.istio-system", ...request);
    const http = `127.0.0.1:${server.httpPort}`;
    const fromServer = await binnacle("explain", "--server", http, "--from", "gw-0.istio-system", ...request);
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
