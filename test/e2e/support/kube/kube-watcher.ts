import { fleetMembers } from "../../../../src/cli/nodes/fleet-members.ts";
import { Fleet } from "../../../../src/fleet/fleet.ts";
import { type FleetResourceType, perType } from "../../../../src/fleet/fleet-resource-type.ts";
import { eventually } from "../../../../src/testing/eventually.ts";
import { type Holding, holdingOf } from "../xds/holdings.ts";

/** Two sidecars of the shop, SotW and delta, that record every response. */
export class KubeWatcher implements Disposable {
  readonly #fleet: Fleet;

  private constructor(fleet: Fleet) {
    this.#fleet = fleet;
  }

  /** Resolves when both hold everything. */
  static async connect(xdsPort: number): Promise<KubeWatcher> {
    const shares = { routers: 0, grpc: 0, delta: 0.5, slow: 0, nack: 0, reconnect: 0 };
    const names = { domain: "cluster.local", clusterId: "Kubernetes", namespaces: ["bookinfo"] };
    const members = fleetMembers({ proxies: 2, shares, ...names, routerLabels: {}, targets: [], reconnectEveryMs: 0 });
    const fleet = new Fleet({ address: { host: "127.0.0.1", port: xdsPort }, members, perSecond: undefined });
    fleet.start();
    const watcher = new KubeWatcher(fleet);
    await watcher.until("both hold everything", () => fleet.report.inSync === members.length);
    return watcher;
  }

  /** The number of responses of each type. */
  get responses(): Readonly<Record<FleetResourceType, number>> {
    const { types } = this.#fleet.report;
    return perType((type) => types[type].responses);
  }

  get holdings(): readonly Holding[] {
    return this.#fleet.proxies.map(holdingOf);
  }

  /** Mistakes in the responses, and the ends of streams. */
  get complaints(): readonly string[] {
    const { remarks, lost } = this.#fleet.report;
    return [...remarks, ...Object.keys(lost)];
  }

  hold(type: FleetResourceType, name: string): boolean {
    return this.#fleet.proxies.every((proxy) => proxy.held(type).has(name));
  }

  until(what: string, claim: () => boolean): Promise<true> {
    return eventually(what, () => claim(), { seconds: 40 });
  }

  [Symbol.dispose](): void {
    this.#fleet.stop();
  }
}
