import { defaultLimits } from "../../../src/pilot/xds/discovery-server.ts";
import { connectedProxy } from "../../../src/plan/connected-proxies.ts";
import { type PlannedProxy, rehearseFleet } from "../../../src/plan/fleet.ts";
import { typeChanges } from "../../../src/plan/resource-changes.ts";
import { protocolDefaults } from "../../../src/app/pipeline.ts";
import { takesVirtualHosts } from "../../../src/pilot/model/proxy/capabilities.ts";
import type { Rehearsal } from "../../../src/plan/rehearsal/rehearse.ts";
import type { EnvoyModel } from "../../../src/testing/envoy/envoy-model.ts";
import { ScenarioMesh } from "../../../src/testing/mesh/scenario-mesh.ts";
import { type ObjectEdit, WrittenObjects } from "../../../src/testing/mesh/written-objects.ts";
import { fleetNodes } from "./fleet-nodes.ts";
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

/** A server with a fleet. Each change is planned from the objects alone, and then made. */
export class PlannedFleet {
  readonly mesh: ScenarioMesh;
  readonly #objects = new WrittenObjects();
  readonly #clients: readonly { readonly envoy: EnvoyModel; readonly record: WireRecord }[];
  #before: ScenarioMesh;

  private constructor(mesh: ScenarioMesh, before: ScenarioMesh) {
    this.mesh = mesh;
    this.#before = before;
    this.#clients = fleetNodes.map(({ mode, ...node }) => {
      const envoy = mesh.connect(mode, node);
      return { envoy, record: new WireRecord(envoy) };
    });
  }

  /** `debounceEndpoints` makes one push of every change: a server usually sends endpoints before all else. */
  static async start({ debounceEndpoints }: { readonly debounceEndpoints: boolean }): Promise<PlannedFleet> {
    const limits = { ...defaultLimits, debounceEndpoints };
    const fleet = new PlannedFleet(await ScenarioMesh.serving("", { protocol, limits }), await fresh(""));
    await fleet.#settle();
    fleet.observed();
    return fleet;
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
    this.#before = after;
    const pushesBefore = this.mesh.observer.debounced.length;
    this.mesh.batch(() => {
      for (const write of writes) write();
    });
    await this.#settle();
    return { predicted, observed: this.observed(), pushes: this.mesh.observer.debounced.length - pushesBefore };
  }

  /** What arrived at each client since the last call. */
  observed(): readonly (readonly string[])[] {
    return this.#clients.map(({ record }) => record.take());
  }

  async #predict(after: ScenarioMesh, proxies: readonly PlannedProxy[]): Promise<readonly (readonly string[])[]> {
    const { types, published: before } = this.#before.discovery.catalogue;
    const classes = await rehearseFleet({
      before,
      after: after.discovery.catalogue.published,
      generators: types,
      proxies,
      splitFrom: (proxy) => (takesVirtualHosts(proxy) ? splitFrom : undefined),
      turn: () => Promise.resolve(),
    });
    return proxies.map((proxy) => {
      const own = classes.find((each) => each.proxies.includes(proxy));
      return own?.effect === undefined ? [] : predictedLines(own.effect.rehearsal, own.mode);
    });
  }

  async #settle(): Promise<void> {
    await this.mesh.settle(this.#clients.map(({ envoy }) => envoy));
  }
}
