import { execFile } from "node:child_process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { main } from "./support/checkout.ts";
import { Child } from "./support/child.ts";
import { freePort } from "./support/free-port.ts";
import { get } from "./support/http.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { XdsRecording } from "./support/xds/xds-recording.ts";
import { serviceYaml } from "./support/yaml.ts";

const soon = { timeout: 20_000 };
const cart = "outbound|80||cart.shop.svc.cluster.local";
const pay = "outbound|80||pay.shop.svc.cluster.local";

describe("a server whose sources become others on SIGHUP", () => {
  const first = new MeshDir({ "cart.yaml": service("cart", 1001), "pay.yaml": service("pay", 2001) });
  const second = new MeshDir({ "cart.yaml": service("cart", 1002) });
  const settings = new MeshDir();
  let server: Child;
  let xds: XdsRecording;
  let httpPort = 0;
  let metricsPort = 0;

  beforeAll(async () => {
    name(`file:${first.path}`);
    const ports = [await freePort(), await freePort(), await freePort()];
    const [xdsPort = 0] = ports;
    [, httpPort = 0, metricsPort = 0] = ports;
    const listeners = ["xds", "http", "metrics"].flatMap((flag, index) => [`--${flag}`, `127.0.0.1:${ports[index]}`]);
    const args = ["serve", "--config-file", `${settings.path}/settings.yaml`, ...listeners, "--ctrlz", "off"];
    server = new Child(process.execPath, [main, ...args]);
    await server.line(/^ready:/u, { seconds: 30 });
    xds = new XdsRecording(xdsPort);
  });

  afterAll(async () => {
    xds?.[Symbol.dispose]();
    await server?.stop();
    for (const dir of [first, second, settings]) dir[Symbol.dispose]();
  });

  /** What the settings name from now on. */
  function name(...sources: readonly string[]): void {
    settings.write("settings.yaml", JSON.stringify({ source: sources }));
  }

  /** As `binnacle sources` shows them: those of the settings, without machines that register themselves. */
  async function sources() {
    const { stdout } = await binnacle("sources", "--server", `127.0.0.1:${httpPort}`, "-o", "json");
    const all = JSON.parse(stdout) as readonly { readonly name: string }[];
    return all.filter((source) => source.name !== "registration");
  }

  test("one that is added before another takes over what both have, as one change", async () => {
    await expect.poll(() => xds.endpoints(cart), soon).toEqual(["127.0.0.1:1001"]);
    const before = xds.responses.length;
    name(`file:${second.path}`, `file:${first.path}`);
    server.kill("SIGHUP");
    await expect.poll(() => xds.endpoints(cart), soon).toEqual(["127.0.0.1:1002"]);
    expect(xds.responses.slice(before)).toEqual([`EDS +${cart}`]);
    expect(await sources()).toMatchObject([
      { name: `file:${second.path}`, state: "synced", loses: [] },
      {
        name: `file:${first.path}`,
        state: "synced",
        loses: [{ key: "shop/cart", winner: `file:${second.path}` }],
      },
    ]);
  });

  test("people are shown who has what, and whose is used", async () => {
    const { stdout, code } = await binnacle("sources", "--server", `127.0.0.1:${httpPort}`);
    const words = stdout.split("\n").map((line) => line.split(/ {2,}/u));
    expect(words.slice(0, 3).map(([source, state, , objects, lost]) => [source, state, objects, lost])).toEqual([
      ["SOURCE", "STATE", "OBJECTS", "LOST"],
      [`file:${second.path}`, "synced", "1", "0"],
      [`file:${first.path}`, "synced", "2", "1"],
    ]);
    expect(stdout).toContain(`shop/cart is that of file:${second.path}`);
    expect(code).toBe(0);
  });

  test("a list with a mistake in it, or with what is not there, is refused, and the old one stays", async () => {
    for (const [bad, reason] of [
      ["nonsense:x", "nonsense: is none of the schemes"],
      ["file:/nowhere/at/all", "/nowhere/at/all"],
    ] as const) {
      name(`file:${second.path}`, bad);
      server.kill("SIGHUP");
      await expect.poll(() => linesWith(reason), soon).not.toEqual([]);
    }
    expect(linesWith("sources not replaced")).toHaveLength(2);
    expect(await sources()).toMatchObject([{ name: `file:${second.path}` }, { name: `file:${first.path}` }]);
    expect(await xds.endpoints(cart)).toEqual(["127.0.0.1:1002"]);
  });

  test("one that is removed takes with it what nobody else has", async () => {
    const before = xds.responses.length;
    name(`file:${second.path}`);
    server.kill("SIGHUP");
    await expect.poll(() => xds.endpoints(pay), soon).toBeUndefined();
    expect(xds.responses.slice(before).filter((line) => line.includes(cart))).toEqual([]);
    expect(await xds.endpoints(cart)).toEqual(["127.0.0.1:1002"]);
  });

  test("one that is added and cannot be reached holds up nobody, and is said to be stale", async () => {
    const away = `eureka+http://127.0.0.1:${await freePort()}/eureka`;
    name(away, `file:${second.path}`);
    server.kill("SIGHUP");
    await expect.poll(sources, soon).toMatchObject([
      { name: away, state: "stale", reason: expect.stringContaining("ECONNREFUSED") },
      { name: `file:${second.path}`, state: "synced" },
    ]);
    expect((await get(httpPort, "/ready")).status).toBe(200);
    expect((await binnacle("sources", "--server", `127.0.0.1:${httpPort}`)).code).toBe(1);
    expect(linesWith("source stale")).toHaveLength(1);
    second.write("cart.yaml", service("cart", 1003));
    await expect.poll(() => xds.endpoints(cart), soon).toEqual(["127.0.0.1:1003"]);
    const { body } = await get(metricsPort, "/metrics");
    expect(body).toMatch(/binnacle_source_stale_seconds\{source="eureka.*"\} [\d.]*[1-9]/u);
    expect(body).toContain(`binnacle_source_stale_seconds{source="file:${second.path}"} 0`);
  });

  function linesWith(words: string): readonly string[] {
    return server
      .log()
      .split("\n")
      .filter((line) => line.includes(words));
  }
});

function service(name: string, port: number): string {
  return serviceYaml({ name, port: 80, endpoints: [{ port }] });
}

/** A command to its end. */
function binnacle(...args: readonly string[]): Promise<{ readonly code: number; readonly stdout: string }> {
  return new Promise((settle) => {
    execFile(process.execPath, [main, ...args], { timeout: 30_000 }, (error, stdout) => {
      settle({ code: typeof error?.code === "number" ? error.code : 0, stdout });
    });
  });
}
