import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { QuarantinedObject } from "../../../src/admin/pilot/quarantine.ts";
import { startEcho } from "../support/envoy/echo.ts";
import { MeshDir } from "../support/mesh-dir.ts";
import { editedHost, Fleet } from "./fleet.ts";
import { JudgingServer } from "./judging-server.ts";
import type { Outcome } from "./outcome.ts";
import { Requests } from "./requests.ts";
import type { MakeRow, Row, Stage } from "./row.ts";
import { freePorts, route, type Slot, tenantMesh } from "./tenant-mesh.ts";

export interface StoryOptions {
  readonly mode: "sotw" | "delta";
  /** The number of hosts. */
  readonly count: number;
  readonly qps: number;
  /** How the control plane ends in the middle of the story. Without it, it goes on. */
  readonly restart?: "SIGTERM" | "SIGKILL";
}

/** Tells the story of one kind of poison, with requests to other hosts all the time. */
export async function tell(name: string, makeRow: MakeRow, options: StoryOptions): Promise<Outcome> {
  const { mode, count, qps, restart } = options;
  await using resources = new AsyncDisposableStack();
  const workload = resources.use(await startEcho("workload", { keepsIdle: true }));
  const setting = { count, ports: await freePorts(), otherPorts: await freePorts() };
  const row = await makeRow(setting);
  const files = tenantMesh(setting, [editedHost, ...row.victims], workload.port);
  const edited = { "edited.yaml": route(editedHost, "edit-0") };
  const mesh = resources.use(new MeshDir({ ...files, ...edited, ...row.files.good, ...row.files[row.begins] }));
  const store = restart === undefined ? undefined : storeIn(resources);
  const server = resources.use(await JudgingServer.start({ dir: mesh.path, validation: row.validation, store }));
  const fleet = resources.use(new Fleet({ ...setting, row, mode, server }));
  const requests = resources.use(new Requests(setting.ports[refusingIn(row)], qps));
  const story = new Story(row, mesh, server, fleet, requests);
  const seconds = row.begins === "good" ? await story.spoil() : await story.beginSpoilt();
  const probes = await story.find();
  const freshIsCorrect = await fleet.openFresh();
  if (restart !== undefined) await story.replaceServer(restart);
  const released = await story.mend();
  await story.spoilAgain();
  const counts = await story.count();
  const offenders = row.refused.length;
  return { row: name, mode, offenders, probes, seconds, freshIsCorrect, released, ...counts, misses: fleet.misses };
}

/** The chapters of a story. */
class Story {
  readonly #row: Row;
  readonly #mesh: MeshDir;
  readonly #server: JudgingServer;
  readonly #fleet: Fleet;
  readonly #requests: Requests;
  #edits = 0;

  constructor(row: Row, mesh: MeshDir, server: JudgingServer, fleet: Fleet, requests: Requests) {
    this.#row = row;
    this.#mesh = mesh;
    this.#server = server;
    this.#fleet = fleet;
    this.#requests = requests;
  }

  /** Gateways serve good objects, and then somebody spoils some. Returns the seconds until others follow an edit. */
  async spoil(): Promise<number> {
    for (const slot of connectedIn(this.#row)) await this.#fleet.open(slot);
    await this.#fleet.served();
    await this.#requests.start();
    this.#write("poisoned");
    return await this.#editAfterRejection();
  }

  /** The objects are spoilt before the first gateway connects. */
  async beginSpoilt(): Promise<number> {
    const [first, ...others] = connectedIn(this.#row);
    const opened = this.#fleet.open(first);
    const seconds = await this.#editAfterRejection(opened);
    await this.#requests.start();
    for (const slot of others) await this.#fleet.open(slot);
    await this.#fleet.served();
    return seconds;
  }

  /** The server has found the objects. Returns the number of probes. */
  async find(): Promise<number> {
    const { refused } = this.#row;
    const found = await this.#server.quarantined(refused.length).catch(this.#fleet.miss);
    if (found) this.#fleet.expect("objects in quarantine", found.toSorted(), refused);
    await this.#fleet.check();
    return this.#server.probes();
  }

  /** Another control plane takes over, with the same files and the same store. */
  async replaceServer(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    const probes = this.#server.probes();
    const before = await this.#server.inQuarantine();
    await this.#server.restart(signal);
    await this.#edit();
    await this.#fleet.check();
    await this.#fleet.openFresh();
    const after = await this.#server.inQuarantine();
    const anew = after.filter((each) => !before.some((other) => isSameRefusal(each, other)));
    this.#fleet.expect(
      "objects found anew after the restart",
      anew.map(({ object }) => object),
      [],
    );
    // A second gateway confirms a refusal ten seconds after it was found: on a busy machine perhaps only now.
    const isConfirmedSince = after.filter(isConfirmed).length > before.filter(isConfirmed).length;
    if (!isConfirmedSince) this.#fleet.expect("probes after the restart", this.#server.probes() - probes, 0);
  }

  /** The objects are mended, and reach all gateways. */
  async mend(): Promise<boolean> {
    this.#write("mended");
    await this.#fleet.affected();
    const { length } = this.#row.refused;
    const released = await this.#server.released(length).then(() => true, this.#fleet.miss);
    await this.#fleet.check();
    return released;
  }

  async spoilAgain(): Promise<void> {
    this.#write("spoilt again");
    await this.#server.quarantined(2 * this.#row.refused.length).catch(this.#fleet.miss);
    await this.#edit();
    await this.#fleet.check();
  }

  async count(): Promise<Pick<Outcome, "requests" | "perSecond" | "failed">> {
    const { sent, perSecond, failures } = await this.#requests.stop();
    this.#fleet.expect("failed requests", failures.slice(0, 3), []);
    return { requests: sent, perSecond, failed: failures.length };
  }

  async #editAfterRejection(opened?: Promise<unknown>): Promise<number> {
    const rejectedAt = await this.#server.firstRejection();
    await this.#edit(opened);
    return (Date.now() - rejectedAt) / 1000;
  }

  /** Edits another object, and waits until all gateways follow. */
  async #edit(opened?: Promise<unknown>): Promise<void> {
    this.#edits += 1;
    this.#fleet.edit = `edit-${this.#edits}`;
    this.#mesh.write("edited.yaml", route(editedHost, this.#fleet.edit));
    await opened;
    await this.#fleet.served();
  }

  #write(stage: Stage): void {
    this.#fleet.stage = stage;
    const files = this.#row.files[stage === "spoilt again" ? "poisoned" : stage];
    for (const [file, text] of Object.entries(files)) this.#mesh.write(file, text);
  }
}

/** An object that is found anew is younger. */
function isSameRefusal(one: QuarantinedObject, other: QuarantinedObject): boolean {
  return one.object === other.object && Math.abs(Date.parse(one.since) - Date.parse(other.since)) < 1000;
}

function isConfirmed({ confirmedBy }: QuarantinedObject): boolean {
  return confirmedBy !== "";
}

/** The gateways that are connected from the start. */
function connectedIn({ refusing }: Row): readonly [Slot, Slot] {
  return refusing === "old" ? ["first", "old"] : ["first", "second"];
}

/** The gateway that gets the requests. */
function refusingIn({ refusing }: Row): Slot {
  return refusing === "old" ? "old" : "first";
}

/** A file that outlives control planes. */
function storeIn(resources: AsyncDisposableStack): string {
  const folder = mkdtempSync(join(tmpdir(), "binnacle-quarantine-"));
  resources.defer(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "refusals.json");
}
