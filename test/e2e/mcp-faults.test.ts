import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../../src/testing/eventually.ts";
import { Random } from "../../src/testing/random/random.ts";
import { seed } from "../../src/testing/random/seed.ts";
import { MortalGalley } from "./support/binnacle/mortal-galley.ts";
import { type BinnacleProcess, startBinnacle, startPilot } from "./support/binnacle/server.ts";
import { freePort } from "./support/free-port.ts";
import { get } from "./support/http.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { metric } from "./support/metrics.ts";
import { atScale } from "./support/scale.ts";
import { SteadyFleet } from "./support/xds/steady-fleet.ts";
import { serviceYaml } from "./support/yaml.ts";

/** How often Galley is killed. */
const deaths = atScale({ quick: 5, whole: 50 });
const patience = { seconds: 40 };
/** Short keepalives, so that a test notices a silent peer in time. */
const alert = ["--keepalive-interval", "1s", "--keepalive-timeout", "1s"];

const none = { needless: 0, lost: {}, broken: 0, remarks: [] };

/** Many services, so that a push takes a while. */
function manyServices(round: number): string {
  const names = Array.from({ length: 200 }, (_, index) => `many-${index}`);
  return names.map((name) => serviceYaml({ name, port: 8000, endpoints: [{ port: 1000 + round }] })).join("---\n");
}

describe("proxies of a Pilot with remote Galleys", () => {
  const mesh = new MeshDir({ "many.yaml": manyServices(0) });
  const other = new MeshDir({ "other.yaml": serviceYaml({ name: "elsewhere", port: 8001, endpoints: [{ port: 9 }] }) });
  const random = new Random(seed);
  let galley: MortalGalley;
  let second: MortalGalley;
  let pilot: BinnacleProcess;
  let steadyFleet: SteadyFleet;

  beforeAll(async () => {
    galley = new MortalGalley(await freePort(), mesh.path);
    second = new MortalGalley(await freePort(), other.path);
    await Promise.all([galley.start(), second.start()]);
    pilot = await startPilot([galley.url, second.url], ...alert);
    steadyFleet = new SteadyFleet(pilot.xdsPort, mesh);
    await steadyFleet.receivesChange();
  });

  afterAll(async () => {
    steadyFleet[Symbol.dispose]();
    await pilot[Symbol.asyncDispose]();
    await Promise.all([galley[Symbol.asyncDispose](), second[Symbol.asyncDispose]()]);
    mesh[Symbol.dispose]();
    other[Symbol.dispose]();
  });

  /** Resolves when Pilot has logged once more that a source is fresh again. */
  async function fresh(before: number): Promise<void> {
    const again = () => pilot.timesSaid("source fresh") > before;
    await eventually("the source follows again", again, patience);
  }

  /** The responses and disconnects that proxies saw. */
  function disturbances() {
    const { types, lost, broken, remarks } = steadyFleet.report;
    const needless = Object.values(types).reduce((sum, type) => sum + type.needless, 0);
    return { needless, lost, broken, remarks };
  }

  test("lose nothing, and get nothing twice, when a Galley is killed in the middle of a push", async () => {
    for (let death = 1; death <= deaths; death++) {
      mesh.write("many.yaml", manyServices(death));
      // Somewhere between reading the files and the last push.
      await pause(random.below(250));
      await galley.kill();
      await galley.start();
      await steadyFleet.receivesChange();
    }
    await using together = await startBinnacle({ dir: mesh.path, args: [other.path] });
    await steadyFleet.holdsStateOf(together.xdsPort);
    expect(disturbances()).toEqual(none);
  }, 3_600_000);

  test("get nothing when a Galley restarts with the same content", async () => {
    const before = { fresh: pilot.timesSaid("source fresh"), types: steadyFleet.report.types };
    await galley.kill();
    await galley.start();
    await fresh(before.fresh);
    expect(steadyFleet.report.types).toEqual(before.types);
    expect(disturbances()).toEqual(none);
  });

  test("get nothing while a Galley is silent with half-open connections", async () => {
    const silence = '"reason":"no answer to a ping within 1000 ms"';
    const before = { fresh: pilot.timesSaid("source fresh"), types: steadyFleet.report.types };
    const silences = pilot.timesSaid(silence);
    galley.signal("SIGSTOP");
    await eventually("the silence is noticed", () => pilot.timesSaid(silence) > silences, patience);
    galley.signal("SIGCONT");
    await fresh(before.fresh);
    expect(steadyFleet.report.types).toEqual(before.types);
    expect(disturbances()).toEqual(none);
  });

  test("keep the objects of a dead Galley, which pages, log and metrics report", async () => {
    const lost = pilot.timesSaid("source stale");
    const before = steadyFleet.report.types;
    await second.kill();
    const said = () => pilot.timesSaid("source stale") > lost;
    await eventually("the source is stale", said, patience);
    const { body } = await get(pilot.httpPort, "/debug/sources");
    const [first, last] = JSON.parse(body) as readonly unknown[];
    expect(first).toMatchObject({ name: galley.url, state: "synced" });
    expect(last).toMatchObject({ name: second.url, state: "stale", reason: expect.any(String) as string });
    const staleness = metric(pilot.metricsPort, "binnacle_source_stale_seconds", `source="${second.url}"`);
    expect(await staleness).toBeGreaterThan(0);
    expect(steadyFleet.report.types).toEqual(before);
    await steadyFleet.receivesChange();
    expect(steadyFleet.has("CDS", "outbound|8001||elsewhere.shop.svc.cluster.local")).toBe(true);
    expect(disturbances()).toEqual(none);
  });
});
