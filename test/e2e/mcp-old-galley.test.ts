import { describe, expect, test } from "vitest";
import { ExitCode } from "../../src/cli/command.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { istioResource } from "../../src/testing/mcp/mcp-sink-rig.ts";
import { gateways, rules, serviceEntries, virtualServices } from "../../src/testing/mcp/mcp-source-rig.ts";
import { runCommand } from "../../src/testing/recording/run-command.ts";
import { OldGalley } from "./support/binnacle/old-galley.ts";
import { startPilot } from "./support/binnacle/server.ts";
import { startEcho } from "./support/envoy/echo.ts";
import { startEnvoy } from "./support/envoy/envoy.ts";
import { freePort } from "./support/free-port.ts";
import { get } from "./support/http.ts";
import { describeWith } from "./support/peers.ts";

const describeWithEnvoy = await describeWith("envoy");
const bound = { seconds: 30 };

function entry(name: string, port: number) {
  return istioResource(serviceEntries, `shop/${name}`, {
    hosts: [`${name}.example.com`],
    ports: [{ number: 80, name: "http", protocol: "HTTP" }],
    resolution: "STATIC",
    endpoints: [{ address: "127.0.0.1", ports: { http: port } }],
  });
}

function rule(name: string, trafficPolicy: object) {
  return istioResource(rules, `shop/${name}`, { host: `${name}.example.com`, trafficPolicy: { ...trafficPolicy } });
}

interface ActiveCluster {
  readonly cluster: { readonly name: string; readonly lb_policy?: string };
}

describeWithEnvoy("a Galley of Istio 1.3 that forwards an object that Envoy would reject", () => {
  test("does not affect a real Envoy: a NACK names the object, and its clusters are served", async () => {
    await using echo = await startEcho("one");
    const port = await freePort();
    const routes = ["good", "bad"].map((name) => ({
      match: [{ uri: { prefix: `/${name}` } }],
      route: [{ destination: { host: `${name}.example.com` } }],
    }));
    const { galley, address } = await OldGalley.start({
      [serviceEntries]: [entry("good", echo.port), entry("bad", echo.port)],
      [rules]: [
        // The number of ROUND_ROBIN in its time.
        rule("good", { loadBalancer: { simple: "UNSPECIFIED" } }),
        rule("bad", { connectionPool: { tcp: { connectTimeout: "-1s" } } }),
      ],
      [gateways]: [
        istioResource(gateways, "shop/edge", {
          selector: { app: "gw" },
          servers: [{ port: { number: port, name: "http", protocol: "HTTP" }, hosts: ["*"] }],
        }),
      ],
      [virtualServices]: [
        istioResource(virtualServices, "shop/edge", { hosts: ["*"], gateways: ["edge"], http: routes }),
      ],
    });
    await using _ = galley;
    await using pilot = await startPilot([`mcp://${address}`]);
    await using envoy = await startEnvoy({ xdsPort: pilot.xdsPort, mode: "delta" });
    for (const path of ["/good", "/bad"]) {
      await eventually(`${path} is answered`, async () => (await get(port, path)).status === 200, bound);
    }
    await envoy.settled();
    expect(galley.nacks).toEqual([expect.stringMatching(/^shop\/bad: spec\.trafficPolicy\.connectionPool/u)]);
    const { body } = await get(pilot.httpPort, "/debug/sources");
    expect(body).toContain("DestinationRule shop/bad");
    const { configs } = await envoy.configDump();
    const active = configs.flatMap(({ dynamic_active_clusters: all = [] }) => all as readonly ActiveCluster[]);
    const good = active.find(({ cluster }) => cluster.name === "outbound|80||good.example.com");
    // Round robin is Envoy's default, so a dump leaves it out.
    expect(good?.cluster).not.toHaveProperty("lb_policy", "LEAST_REQUEST");
    expect(good).toBeDefined();
  });
});

describe("binnacle describe", () => {
  test("shows why a received object is refused, and which version of it is served", async () => {
    const good = rule("cart", { loadBalancer: { simple: "RANDOM" } });
    const bad = (name: string) => rule(name, { connectionPool: { tcp: { connectTimeout: "-1s" } } });
    const { galley, address } = await OldGalley.start({ [rules]: [good] });
    await using _ = galley;
    await using pilot = await startPilot([`mcp://${address}`]);
    const described = (name: string) =>
      runCommand(["describe", "dr", name, "-n", "shop", "--server", `127.0.0.1:${pilot.httpPort}`]);
    const accepted = await described("cart");
    expect(accepted).toMatchObject({ code: ExitCode.ok, stdout: expect.stringMatching(/no problems$/u) });
    const [, version] = /^version: (\w+)$/mu.exec(accepted.stdout) ?? [];

    galley.replace(rules, [bad("cart"), bad("late")]);
    await eventually("both are refused", () => galley.nacks.length > 0, bound);

    const problem = /^error bad-duration: spec\.trafficPolicy\.connectionPool\.tcp\.connectTimeout: /mu;
    const [cart, late] = await Promise.all([described("cart"), described("late")]);
    expect([cart.code, late.code]).toEqual([ExitCode.problem, ExitCode.problem]);
    expect(cart.stdout).toContain(`version: ${version}, the last good version: its source has a newer, invalid one`);
    expect(late.stdout).toContain(`shop/late, which is not in use\nsource:  mcp://${address}\n`);
    for (const { stdout } of [cart, late]) expect(stdout).toMatch(problem);
  });
});
