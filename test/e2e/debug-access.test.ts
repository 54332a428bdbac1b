import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { listenerType } from "../../src/xds/type-urls.ts";
import { type BinnacleProcess, startBinnacle } from "./support/binnacle/server.ts";
import type { Step } from "./support/documents/recipe.ts";
import { RecipeRunner } from "./support/documents/recipe-runner.ts";
import { type EnvoyNode, gatewayNode, sidecarNode } from "./support/envoy/bootstrap.ts";
import { get } from "./support/http.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { TestAuthority } from "./support/tls/certificates.ts";
import { TokenIssuer } from "./support/tls/token-issuer.ts";
import { SotwClient } from "./support/xds/ads-client.ts";
import { objectYaml } from "./support/yaml.ts";

/** An address of loopback that does not look like one: the server takes itself to be open to the network. */
const network = ["--http", "127.1:0"];
const elsewhere = "binnacle.example:8080";
const open = new Set(["/debug", "/healthz", "/ready", "/version"]);

async function pagesOf({ httpPort }: BinnacleProcess): Promise<readonly string[]> {
  const { body } = await get(httpPort, "/debug");
  return Array.from(body.matchAll(/href="(\/[^"]*)"/g), ([, path = ""]) => path);
}

/** The status of each page for a client with these settings, by page. */
async function statuses(binnacle: BinnacleProcess, call: Parameters<typeof get>[2]) {
  const pages = await pagesOf(binnacle);
  const asked = pages.map(async (page) => [page, (await get(binnacle.httpPort, page, call)).status] as const);
  return new Map(await Promise.all(asked));
}

function dumpOf({ id }: EnvoyNode): string {
  return `/debug/config_dump?proxyID=${encodeURIComponent(id)}`;
}

describe("debug pages", () => {
  test("reject unauthenticated network clients, except for the list of pages, the version and the probes", async () => {
    using issuer = await TokenIssuer.create();
    using mesh = new MeshDir();
    await using binnacle = await startBinnacle({ dir: mesh.path, args: [...network, ...issuer.flags] });
    const pages = await pagesOf(binnacle);
    expect(pages.length).toBeGreaterThan(6);
    const closed = new Map(pages.map((page) => [page, open.has(page) ? 200 : 401]));

    expect(await statuses(binnacle, { host: elsewhere })).toEqual(closed);
    const forged = { host: elsewhere, headers: { authorization: "Bearer not.a.token" } };
    expect(await statuses(binnacle, forged)).toEqual(closed);
    const foreign = { host: "localhost", headers: { origin: "http://evil.example" } };
    expect(await statuses(binnacle, foreign)).toEqual(new Map(pages.map((page) => [page, 403])));
    expect((await get(binnacle.httpPort, "/debug/syncz")).status).toBe(200);
  });

  test("on loopback reject DNS rebinding and cross-origin requests", async () => {
    using mesh = new MeshDir();
    await using binnacle = await startBinnacle({ dir: mesh.path });
    const rebound = await statuses(binnacle, { host: "rebound.evil.example" });
    expect(new Set(rebound.values())).toEqual(new Set([403]));
    const scripted = await statuses(binnacle, { headers: { origin: "https://evil.example" } });
    expect(new Set(scripted.values())).toEqual(new Set([403]));
    const { headers } = await get(binnacle.httpPort, "/debug/syncz");
    expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
  });

  test("show a workload the proxies of its namespace, and operators everything", async () => {
    using issuer = await TokenIssuer.create();
    using mesh = new MeshDir();
    const args = [...network, ...issuer.flags, "--debug-namespace", "operators"];
    await using binnacle = await startBinnacle({ dir: mesh.path, args });
    using gateway = new SotwClient(binnacle.xdsPort, gatewayNode);
    using sidecar = new SotwClient(binnacle.xdsPort, sidecarNode);
    for (const client of [gateway, sidecar]) {
      client.subscribe(listenerType);
      await client.next(listenerType);
    }
    const ask = async (namespace: string, path: string) => {
      const token = await issuer.token({ namespace, account: "any" });
      return await get(binnacle.httpPort, path, { host: elsewhere, headers: { authorization: `Bearer ${token}` } });
    };

    expect((await ask("default", dumpOf(sidecarNode))).status).toBe(200);
    const hidden = await ask("default", dumpOf(gatewayNode));
    expect(hidden.status).toBe(404);
    expect(hidden.body.replaceAll(gatewayNode.id, "")).not.toContain("router~");
    for (const page of ["/debug/syncz", "/debug/connections", "/debug/configz", "/debug/addresses"]) {
      expect([page, (await ask("default", page)).status]).toEqual([page, 403]);
      expect([page, (await ask("istio-system", page)).status]).toEqual([page, 200]);
      expect([page, (await ask("operators", page)).status]).toEqual([page, 200]);
    }
    expect((await ask("istio-system", dumpOf(gatewayNode))).status).toBe(200);
  });

  test("redact the secrets that Envoy redacts", async () => {
    using authority = await TestAuthority.create();
    const { certificateChain, privateKey } = await authority.issueHost("shop.example.com");
    const tls = { mode: "SIMPLE", serverCertificate: certificateChain, privateKey };
    const server = { port: { number: 8443, name: "https", protocol: "HTTPS" }, hosts: ["*"], tls };
    using mesh = new MeshDir({
      "gateway.yaml": objectYaml("Gateway", "edge", { selector: { app: "gw" }, servers: [server] }),
    });
    await using binnacle = await startBinnacle({ dir: mesh.path });
    const node = { ...gatewayNode, metadata: { ...gatewayNode.metadata, SDS_MODE: "none" } };
    using gateway = new SotwClient(binnacle.xdsPort, node);
    gateway.subscribe(listenerType);
    const { resources } = await gateway.next(listenerType);
    expect(JSON.stringify(resources.map(({ value }) => Buffer.from(value).toString()))).toContain(privateKey);
    const { body } = await get(binnacle.httpPort, dumpOf(node));
    expect(body).toContain(certificateChain);
    expect(body).toContain("[redacted]");
    expect(body).not.toContain(privateKey);
  });
});

function run(script: string, ...output: readonly string[]): Step {
  return { type: "run", line: 0, script, eventually: false, output };
}

const namespaces = spawnSync("unshare", ["-rn", "true"]).status === 0 || process.env["CI"] === "true";
const skipped = { skip: true, meta: { skipReason: "this user may not make network namespaces" } };

describe("from another address than loopback", namespaces ? {} : skipped, () => {
  test("debug pages need a token", async () => {
    using issuer = await TokenIssuer.create();
    const token = await issuer.token({ namespace: "istio-system", account: "operator" });
    const flags = ["--http", "0.0.0.0:8080", "--metrics", "off", "--ctrlz", "0.0.0.0:9876", ...issuer.flags];
    const url = "http://10.99.0.1:8080";
    const status = "curl -s -o /dev/null -w '%{http_code}\\n'";
    await using runner = new RecipeRunner({});
    const steps: readonly Step[] = [
      run("ip address add 10.99.0.1/32 dev lo\nmkdir mesh\n"),
      { type: "terminal", line: 0, script: `binnacle serve mesh ${flags.join(" ")}\n`, output: ["ready: …"] },
      run(`${status} ${url}/ready\n`, "200"),
      run(`${status} ${url}/debug/syncz\n`, "401"),
      run(`${status} -H 'Host: localhost' ${url}/debug/syncz\n`, "401"),
      run(`${status} -H 'Authorization: Bearer ${token}' ${url}/debug/syncz\n`, "200"),
      run(`${status} http://10.99.0.1:9876/scopez/\n`, "401"),
      run(`${status} -X PUT -d '{}' http://10.99.0.1:9876/scopej/xds\n`, "401"),
      run(`${status} http://127.0.0.1:8080/debug/syncz\n`, "200"),
    ];
    expect(await runner.follow(steps)).toBe(steps.length);
  });
});
