import { describe, expect, onTestFinished, test } from "vitest";
import { HttpServer } from "../../admin/http-server.ts";
import { json, type Route, text } from "../../admin/route.ts";
import { RecordingLogger } from "../../testing/recording/recording-logger.ts";
import { runCommand } from "../../testing/recording/run-command.ts";

const node = "router~10.0.0.1~gw-0.istio-system~istio-system.svc.cluster.local";
const routeType = "type.googleapis.com/envoy.config.route.v3.RouteConfiguration";
const secretType = "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret";
const owners = [{ id: "VirtualService/shop/shop", reference: "mesh/routes.yaml:1" }];
const nack = {
  type: "RDS",
  message: "no",
  resources: ["http.80"],
  objects: owners.map(({ id, reference }) => ({ object: id, reference })),
  proxies: [node],
};

/** A server with one router. Its routes have this state, and its secrets are missing. */
async function serverWith(state: "SYNCED" | "ERROR", missing: readonly string[] = []): Promise<string> {
  const proxy = {
    cluster_id: "Kubernetes",
    namespace: "istio-system",
    proxy: "gw-0.istio-system",
    node,
    connection: "gw-0.istio-system-1",
    istio_version: "",
    resources: {
      [routeType]: { type: "RDS", state },
      ...(missing.length > 0 && { [secretType]: { type: "SDS", state: "NOT SENT" } }),
    },
  };
  const config = "/apis/networking.istio.io/v1/namespaces/shop/virtual-service/shop";
  const metadata = { filter_metadata: { istio: { config } } };
  const routed = { name: "all", domains: ["*"], routes: [{ match: { prefix: "/" }, metadata }] };
  const resource = { "@type": routeType, name: "http.80", virtual_hosts: [routed] };
  const types = [
    { type_url: routeType, state, resources: [{ name: "http.80", state, owners, resource }] },
    ...(missing.length === 0 ? [] : [{ type_url: secretType, state: "NOT SENT", missing, resources: [] }]),
  ];
  const pages: readonly (readonly [string, Route["answer"]])[] = [
    ["/debug/syncz", () => json([proxy])],
    ["/debug/nacks", () => json(state === "ERROR" ? [nack] : [])],
    [
      "/debug/resources",
      (query) => (query.get("proxyID") === proxy.connection ? json({ node, types }) : text("not connected", 404)),
    ],
  ];
  const routes = pages.map(([path, answer]) => ({ path, doc: "", answer }));
  const server = new HttpServer({
    address: "127.0.0.1:0",
    routes,
    logger: new RecordingLogger(),
    onFailure: () => {},
  });
  onTestFinished(() => server.stop());
  return await server.start();
}

async function run(state: "SYNCED" | "ERROR", ...args: readonly string[]) {
  return await runCommand([...args, "--server", await serverWith(state)]);
}

describe("proxy-status", () => {
  test("ends with 0 if all proxies are in sync, else with 1", async () => {
    expect(await run("SYNCED", "proxy-status")).toMatchObject({ code: 0, stderr: "" });
    const { code, stdout } = await run("ERROR", "proxy-status");
    expect(code).toBe(1);
    expect(stdout).toContain("VirtualService/shop/shop mesh/routes.yaml:1");
  });

  test("of one proxy names each outdated resource with its owners", async () => {
    const { code, stdout } = await run("ERROR", "proxy-status", "gw-0");
    expect(code).toBe(1);
    expect(stdout.split("\n\n")).toEqual([
      node,
      "TYPE                 STATUS   RESOURCES\nRouteConfiguration   ERROR    1",
      "TYPE                 STATUS   RESOURCE   MADE OF\n" +
        "RouteConfiguration   ERROR    http.80    VirtualService/shop/shop mesh/routes.yaml:1",
      expect.stringContaining("RDS http.80: no\n"),
    ]);
  });

  test("names missing secrets of the proxy, and ends with 1", async () => {
    const server = await serverWith("SYNCED", ["kubernetes://shop-cert"]);
    const { code, stdout } = await runCommand(["proxy-status", "gw-0", "--server", server]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/Secret +NOT SENT +0/);
    expect(stdout).toMatch(/Secret +NOT SENT +kubernetes:\/\/shop-cert +nothing: there is no such resource/);
    expect(await runCommand(["proxy-status", "--server", server])).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/SDS\n.*SYNCED +NOT SENT/u),
    });
  });

  test.each(["json", "yaml"])("prints %s for programs", async (notation) => {
    const { code, stdout } = await run("SYNCED", "proxy-status", "-o", notation);
    expect(code).toBe(0);
    expect(stdout).toContain("gw-0.istio-system");
  });

  test("lists the known proxies for an unknown one, and reports an unreachable server", async () => {
    expect(await run("SYNCED", "proxy-status", "gw-1.istio-system")).toMatchObject({
      code: 1,
      stderr: "binnacle proxy-status: gw-1.istio-system is not connected; did you mean gw-0.istio-system?",
    });
    const nowhere = await runCommand(["proxy-status", "--server", "127.0.0.1:1"]);
    expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringContaining("--server 127.0.0.1:1: ") });
  });
});

describe("proxy-config", () => {
  test.each(["route", "routes", "all"])("shows %s", async (type) => {
    const { code, stdout } = await run("SYNCED", "proxy-config", type, "gw-0.istio-system");
    expect(code).toBe(0);
    expect(stdout).toMatch(/http\.80 +all +\* +\/\* +shop\.shop \(mesh\/routes\.yaml:1\)/);
  });

  test("prints the messages themselves as JSON", async () => {
    const { stdout } = await run("SYNCED", "proxy-config", "route", "gw-0", "-o", "json");
    expect(JSON.parse(stdout)).toEqual({ routes: [expect.objectContaining({ name: "http.80" })] });
  });

  test.each([["cds", "gw-0"], ["route"]])("%j is wrong usage", async (...args) => {
    const { code, stderr } = await run("SYNCED", "proxy-config", ...args);
    expect(code).toBe(2);
    expect(stderr).toContain("expected cluster|listener|route|endpoint|ecds|secret|all NODE");
  });
});
