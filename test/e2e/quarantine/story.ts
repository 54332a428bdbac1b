import { startEcho } from "../support/envoy/echo.ts";
import { Load } from "../support/envoy/fortio.ts";
import { MeshDir } from "../support/mesh-dir.ts";
import { editedHost, Fleet } from "./fleet.ts";
import { JudgingServer } from "./judging-server.ts";
import type { Outcome } from "./outcome.ts";
import type { MakeRow, Row, Stage } from "./row.ts";
import { freePorts, hostOf, route, type Slot, tenantMesh } from "./tenant-mesh.ts";

export interface StoryOptions {
  readonly mode: "sotw" | "delta";
  /** The number of hosts. */
  readonly count: number;
  readonly qps: number;
  /** How the control plane ends in the middle of the story. Without it, it goes on. */
  readonly restart?: "SIGTERM" | "SIGKILL";
}

/** Requests go to this host and to the edited host all the time. Nobody changes this one. */
const steadyHost = 0;

/** Tells the story of one kind of poison, with requests to other hosts from its begin to its end. */
export async function tell(name: string, makeRow: MakeRow, options: StoryOptions): Promise<Outcome> {
  const { mode, count, restart } = options;
  await using resources = new AsyncDisposableStack();
  const workload = resources.use(await startEcho("workload", { keepsIdle: true }));
  const setting = { count, ports: await freePorts(), otherPorts: await freePorts() };
  const row = await makeRow(setting);
  const files = tenantMesh(setting, [editedHost, ...row.victims], workload.port);
  const mesh = resources.use(new MeshDir({ ...files, ...row.files.good, ...row.files[row.begins] }));
  const write = (stage: Stage) => {
    fleet.stage = stage;
    for (const [file, text] of Object.entries(row.files[filesOf(stage)])) mesh.write(file, text);
  };
  let edits = 0;
  const edit = () => {
    fleet.edit = `edit-${edits++}`;
    mesh.write("edited.yaml", route(editedHost, fleet.edit));
  };
  mesh.write("edited.yaml", route(editedHost, "edit-0"));
  const args = ["--allow-plaintext-secrets", "on"];
  const server = resources.use(await JudgingServer.start({ dir: mesh.path, validation: row.validation, args }));
  const fleet = resources.use(new Fleet({ ...setting, row, mode, server }));
  edit();

  // Gateways are connected, and requests arrive all the time.
  for (const slot of connectedIn(row)) await fleet.open(slot);
  await fleet.served();
  const loads = await startLoads(setting.ports[refusingIn(row)], options.qps);
  for (const load of loads) resources.use(load);

  // Somebody spoils the objects, and then somebody edits another one.
  if (row.begins === "good") write("poisoned");
  const rejectedAt = await server.firstRejection();
  edit();
  await fleet.served();
  const seconds = (Date.now() - rejectedAt) / 1000;
  fleet.expect("objects in quarantine", (await server.quarantined(row.refused.length)).toSorted(), row.refused);
  const probes = server.probes();
  await fleet.check();
  const freshIsCorrect = await fleet.openFresh();

  // Another control plane takes over, with the same files.
  if (restart !== undefined) {
    await server.restart(restart);
    edit();
    await fleet.served();
    await fleet.check();
    await fleet.openFresh();
  }

  // The objects are mended, and then spoilt again.
  write("mended");
  await fleet.affected();
  const released = await server.released(row.refused.length).then(() => true, fleet.miss);
  await fleet.check();
  write("spoilt again");
  await server.quarantined(2 * row.refused.length).catch(fleet.miss);
  edit();
  await fleet.served();
  await fleet.check();

  const requests = (await Promise.all(loads.map((load) => load.stop()))).flat();
  const failures = requests.filter(({ ok }) => !ok);
  fleet.expect("failed requests", failures.slice(0, 3), []);
  const counts = { offenders: row.refused.length, requests: requests.length, failed: failures.length };
  return { row: name, mode, probes, seconds, freshIsCorrect, released, ...counts, misses: fleet.misses };
}

function filesOf(stage: Stage): "good" | "poisoned" | "mended" {
  return stage === "spoilt again" ? "poisoned" : stage;
}

/** The gateways that are connected from the start. */
function connectedIn({ refusing }: Row): readonly Slot[] {
  return refusing === "old" ? ["first", "old"] : ["first", "second"];
}

/** The gateway that gets the requests. */
function refusingIn({ refusing }: Row): Slot {
  return refusing === "old" ? "old" : "first";
}

async function startLoads(port: number, qps: number): Promise<readonly Load[]> {
  const start = (index: number) => Load.start({ port, host: hostOf(index), path: "/", qps: qps / 2 });
  return await Promise.all([steadyHost, editedHost].map(start));
}
