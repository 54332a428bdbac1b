import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../../src/testing/eventually.ts";
import { runCommand } from "../../src/testing/recording/run-command.ts";
import { type BinnacleProcess, startServer } from "./support/binnacle/server.ts";
import { freePort } from "./support/free-port.ts";
import { get } from "./support/http.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { XdsRecording } from "./support/xds/xds-recording.ts";
import { serviceYaml } from "./support/yaml.ts";

const patience = { seconds: 20 };
const cart = "outbound|80||cart.shop.svc.cluster.local";
const pay = "outbound|80||pay.shop.svc.cluster.local";

describe("a server whose sources change on SIGHUP", () => {
  const first = new MeshDir({ "cart.yaml": service("cart", 1001), "pay.yaml": service("pay", 2001) });
  const second = new MeshDir({ "cart.yaml": service("cart", 1002) });
  const settings = new MeshDir();
  let server: BinnacleProcess;
  let xds: XdsRecording;

  beforeAll(async () => {
    name(`file:${first.path}`);
    const listeners = ["--xds", "--http", "--metrics"].flatMap((flag) => [flag, "127.0.0.1:0"]);
    server = await startServer([
      "serve",
      "--config-file",
      `${settings.path}/settings.yaml`,
      ...listeners,
      "--ctrlz",
      "off",
    ]);
    xds = new XdsRecording(server.xdsPort);
  });

  afterAll(async () => {
    xds?.[Symbol.dispose]();
    await server?.stop();
    for (const dir of [first, second, settings]) dir[Symbol.dispose]();
  });

  /** Writes these sources into the settings. */
  function name(...sources: readonly string[]): void {
    settings.write("settings.yaml", JSON.stringify({ source: sources }));
  }

  function sourcesCommand(...args: readonly string[]) {
    return runCommand(["sources", "--server", server.addresses.http, ...args]);
  }

  /** The sources of the settings, as `binnacle sources` shows them, without machines that register themselves. */
  async function sources() {
    const { stdout } = await sourcesCommand("-o", "json");
    const all = JSON.parse(stdout) as readonly { readonly name: string }[];
    return all.filter((source) => source.name !== "registration");
  }

  test("a source added before another takes over their common objects, as one change", async () => {
    await xds.untilEndpoints(cart, ["127.0.0.1:1001"]);
    const before = xds.responses.length;
    name(`file:${second.path}`, `file:${first.path}`);
    server.kill("SIGHUP");
    await xds.untilEndpoints(cart, ["127.0.0.1:1002"]);
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

  test("the pages show the sources of an object, and the one in use", async () => {
    const { stdout, code } = await sourcesCommand();
    const words = stdout.split("\n").map((line) => line.split(/ {2,}/u));
    expect(words.slice(0, 3).map(([source, state, , objects, lost]) => [source, state, objects, lost])).toEqual([
      ["SOURCE", "STATE", "OBJECTS", "LOST"],
      [`file:${second.path}`, "synced", "1", "0"],
      [`file:${first.path}`, "synced", "2", "1"],
    ]);
    expect(stdout).toContain(`shop/cart comes from file:${second.path}`);
    expect(code).toBe(0);
  });

  test("a list with a mistake, or with a missing path, is rejected, and the old list stays", async () => {
    for (const [bad, reason] of [
      ["nonsense:x", "unknown scheme nonsense; use one of"],
      ["file:/nowhere/at/all", "/nowhere/at/all"],
    ] as const) {
      name(`file:${second.path}`, bad);
      server.kill("SIGHUP");
      await eventually(`a line with ${reason}`, () => server.timesSaid(reason) > 0, patience);
    }
    expect(server.timesSaid("sources not replaced")).toBe(2);
    expect(await sources()).toMatchObject([{ name: `file:${second.path}` }, { name: `file:${first.path}` }]);
    expect(await xds.endpoints(cart)).toEqual(["127.0.0.1:1002"]);
  });

  test("a removed source takes along the objects that no other source has", async () => {
    const before = xds.responses.length;
    name(`file:${second.path}`);
    server.kill("SIGHUP");
    await xds.untilEndpoints(pay, undefined);
    expect(xds.responses.slice(before).filter((line) => line.includes(cart))).toEqual([]);
    expect(await xds.endpoints(cart)).toEqual(["127.0.0.1:1002"]);
  });

  test("an added source that is unreachable blocks nothing, and is reported as stale", async () => {
    const away = `eureka+http://127.0.0.1:${await freePort()}/eureka`;
    name(away, `file:${second.path}`);
    server.kill("SIGHUP");
    const isSaid = async () => {
      expect(await sources()).toMatchObject([
        { name: away, state: "stale", reason: expect.stringContaining("ECONNREFUSED") },
        { name: `file:${second.path}`, state: "synced" },
      ]);
      return true;
    };
    await eventually("the one that is away is stale", isSaid, patience);
    expect((await get(server.httpPort, "/ready")).status).toBe(200);
    expect((await sourcesCommand()).code).toBe(1);
    expect(server.timesSaid("source stale")).toBe(1);
    second.write("cart.yaml", service("cart", 1003));
    await xds.untilEndpoints(cart, ["127.0.0.1:1003"]);
    const { body } = await get(server.metricsPort, "/metrics");
    expect(body).toMatch(/binnacle_source_stale_seconds\{source="eureka.*"\} [\d.]*[1-9]/u);
    expect(body).toContain(`binnacle_source_stale_seconds{source="file:${second.path}"} 0`);
  });
});

function service(name: string, port: number): string {
  return serviceYaml({ name, port: 80, endpoints: [{ port }] });
}
