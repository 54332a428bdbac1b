import { mergeConflicts } from "../../../src/pilot/model/conflict.ts";
import { conflictsAmong } from "../../../src/pilot/xds/conflicts.ts";
import { defaultLimits } from "../../../src/pilot/xds/discovery-server.ts";
import { connectedProxy } from "../../../src/plan/connected-proxies.ts";
import { type PlannedProxy, rehearseFleet } from "../../../src/plan/fleet.ts";
import { typeChanges } from "../../../src/plan/resource-changes.ts";
import { protocolDefaults } from "../../../src/app/pipeline.ts";
import { takesVirtualHosts } from "../../../src/pilot/model/proxy/capabilities.ts";
import type { Rehearsal } from "../../../src/plan/rehearsal/rehearse.ts";
import { conflictChanges } from "../../../src/plan/conflict-changes.ts";
import type { EnvoyModel } from "../../../src/testing/envoy/envoy-model.ts";
import { ScenarioMesh } from "../../../src/testing/mesh/scenario-mesh.ts";
import { type ObjectEdit, WrittenObjects } from "../../../src/testing/mesh/written-objects.ts";
import { fleetNodes, grpcNodes } from "./fleet-nodes.ts";
import { NamesClient, type NamesNode } from "./names-client.ts";
import { linesOf, WireRecord } from "./wire-record.ts";

/** Few hosts, so that random meshes have split routes. */
const splitFrom = 2;
const protocol = { ...protocolDefaults, splitFrom };

const fresh = (yaml: string) => ScenarioMesh.serving(yaml, { protocol });

function predictedLines(rehearsal: Rehearsal, mode: "sotw" | "delta"): readonly string[] {
  const types = typeChanges(rehearsal, mode).map(({ typeUrl, changes, ...sent }) => {
    const lines = changes.map(({ operation, name, bytes }) => `${operation} ${name} ${bytes}`);
    return [typeUrl, { ...sent, changes: lines }] as const;
  });
  return linesOf(new Map(types));
}

const noTurn = () => Promise.resolve();

function contexts(before: ScenarioMesh, after: ScenarioMesh) {
  return { before: before.discovery.catalogue.published, after: after.discovery.catalogue.published };
}

/** A server with a fleet. Each change is planned from the objects alone, and then made. */
export class PlannedFleet {
  readonly mesh: ScenarioMesh;
  readonly #objects = new WrittenObjects();
  readonly #clients: { readonly client: EnvoyModel | NamesClient; readonly record: WireRecord }[];
  #before: ScenarioMesh;

  private constructor(mesh: ScenarioMesh, before: ScenarioMesh) {
    this.mesh = mesh;
    this.#before = before;
    const envoys = fleetNodes.map(({ mode, ...node }) => mesh.connect(mode, node));
    this.#clients = envoys.map((client) => ({ client, record: new WireRecord(client) }));
    this.#connect(grpcNodes);
  }

  /** `debounceEndpoints` makes one push of every change: a server usually sends endpoints before all else. */
  static async start({ debounceEndpoints }: { readonly debounceEndpoints: boolean }): Promise<PlannedFleet> {
    const limits = { ...defaultLimits, debounceEndpoints };
    const fleet = new PlannedFleet(
      await ScenarioMesh.serving("", { protocol, limits, plaintextSecrets: true }),
      await fresh(""),
    );
    await fleet.#settle();
    fleet.observed();
    return fleet;
  }

  #connect(nodes: readonly NamesNode[]): void {
    for (const node of nodes) {
      const client = new NamesClient(node, this.mesh.discovery);
      this.#clients.push({ client, record: new WireRecord(client) });
    }
  }

  /** Further clients connect. */
  async join(nodes: readonly NamesNode[]): Promise<void> {
    this.#connect(nodes);
    await this.#settle();
    this.observed();
  }

  /** Makes a change, and returns the prediction and the truth for each client. */
  async change(batch: readonly ObjectEdit[]) {
    const proxies = [...this.mesh.discovery.connections].map(connectedProxy);
    const writes: (() => void)[] = [];
    const sink = {
      apply: (text: string) => writes.push(() => this.mesh.apply(text)),
      removeAll: (text: string) => writes.push(() => this.mesh.removeAll(text)),
    };
    for (const edit of batch) this.#objects.edit(edit, sink);
    const after = await fresh(this.#objects.texts.join("\n---\n"));
    const predicted = await this.#predict(after, proxies);
    const { types: generators } = this.mesh.discovery.catalogue;
    const conflicts = await conflictChanges({ ...contexts(this.#before, after), generators, proxies, turn: noTurn });
    const conflictsBefore = this.#conflicts();
    this.#before = after;
    const pushesBefore = this.mesh.observer.debounced.length;
    this.mesh.batch(() => {
      for (const write of writes) write();
    });
    await this.#settle();
    const conflictsAfter = this.#conflicts();
    const observedConflicts = [
      ...[...conflictsAfter.difference(conflictsBefore)].map((text) => `new ${text}`),
      ...[...conflictsBefore.difference(conflictsAfter)].map((text) => `ended ${text}`),
    ];
    return {
      predicted: predicted.map(({ lines }) => lines),
      observed: this.observed(),
      classes: predicted.map(({ alike }) => alike),
      predictedConflicts: conflicts
        .map(({ change, ...conflict }) => `${change} ${JSON.stringify(conflict)}`)
        .toSorted(),
      observedConflicts: observedConflicts.toSorted(),
      pushes: this.mesh.observer.debounced.length - pushesBefore,
    };
  }

  /** The conflicts that the server itself reports for its proxies. */
  #conflicts(): ReadonlySet<string> {
    const { catalogue, connections } = this.mesh.discovery;
    const proxies = Array.from(connections, ({ client }) => client);
    const found = [...conflictsAmong(proxies, catalogue.types, catalogue.published)].flat();
    return new Set(mergeConflicts(found).map((conflict) => JSON.stringify(conflict)));
  }

  /** The responses that arrived at each client since the last call. */
  observed(): readonly (readonly string[])[] {
    return this.#clients.map(({ record }) => record.take());
  }

  async #predict(after: ScenarioMesh, proxies: readonly PlannedProxy[]) {
    const classes = await rehearseFleet({
      ...contexts(this.#before, after),
      generators: this.#before.discovery.catalogue.types,
      proxies,
      splitFrom: (proxy) => (takesVirtualHosts(proxy) ? splitFrom : undefined),
      turn: noTurn,
    });
    return proxies.map((proxy) => {
      const own = classes.find((each) => each.proxies.includes(proxy));
      const lines = own?.effect === undefined ? [] : predictedLines(own.effect.rehearsal, own.mode);
      return { lines, alike: own?.proxies.length ?? 0 };
    });
  }

  async #settle(): Promise<void> {
    await this.mesh.settle(this.#clients.map(({ client }) => client));
  }
}
