import { isDeepStrictEqual } from "node:util";
import { fleetMembers } from "../../../../src/cli/nodes/fleet-members.ts";
import type { FleetMember } from "../../../../src/fleet/connected-proxy.ts";
import { Fleet, type FleetReport } from "../../../../src/fleet/fleet.ts";
import type { FleetResourceType } from "../../../../src/fleet/fleet-resource-type.ts";
import { eventually } from "../../../../src/testing/eventually.ts";
import type { MeshDir } from "../mesh-dir.ts";
import { serviceYaml } from "../yaml.ts";
import { givenAt, type Holding, holdingOf, truthOf } from "./holdings.ts";

/**
 * A few well-behaved proxies of every kind that stay connected while others misbehave. They notice when they are
 * disturbed: a stream that ends, a change that does not come, something needless or out of order.
 */
export class SteadyFleet implements Disposable {
  readonly #mesh: MeshDir;
  readonly #members: readonly FleetMember[];
  readonly #fleet: Fleet;
  #edits = 0;

  constructor(port: number, mesh: MeshDir) {
    this.#mesh = mesh;
    this.#members = steadyProxies();
    const address = { host: "127.0.0.1", port };
    this.#fleet = new Fleet({ address, members: this.#members, perSecond: undefined });
    this.#fleet.start();
  }

  get report(): FleetReport {
    return this.#fleet.report;
  }

  /** Changes the mesh. Resolves when every proxy has received the change. */
  async receivesChange(): Promise<void> {
    const name = `steady-${++this.#edits}`;
    this.#mesh.write("steady.yaml", serviceYaml({ name, port: 9080, endpoints: [{ port: 9 }] }));
    const cluster = `outbound|9080||${name}.shop.svc.cluster.local`;
    const everybody = () => this.#fleet.proxies.every((proxy) => proxy.held("CDS").has(cluster));
    await eventually(`every steady proxy received ${name}`, everybody, { seconds: 30 });
  }

  /** Whether every proxy has this resource. */
  has(type: FleetResourceType, name: string): boolean {
    return this.#fleet.proxies.every((proxy) => proxy.held(type).has(name));
  }

  /** Resolves when every proxy holds the state that a fresh server would send for the current files. */
  async holdsFreshState(): Promise<void> {
    await this.#holds(await truthOf(this.#mesh.path, this.#members));
  }

  /** Resolves when every proxy holds the state that the server at this port sends to a new proxy. */
  async holdsStateOf(port: number): Promise<void> {
    await this.#holds(await givenAt(port, this.#members));
  }

  async #holds(truth: readonly Holding[]): Promise<void> {
    const held = () => isDeepStrictEqual(this.#fleet.proxies.map(holdingOf), truth);
    await eventually("every steady proxy holds the expected state", held, { seconds: 20 });
  }

  [Symbol.dispose](): void {
    this.#fleet.stop();
  }
}

/** Sidecars and gateways, in both protocols. */
export function steadyProxies(): readonly FleetMember[] {
  const shares = { routers: 0.5, grpc: 0, delta: 0.5, slow: 0, nack: 0, reconnect: 0 };
  const names = { domain: "cluster.local", clusterId: "Kubernetes" };
  const rest = { namespaces: ["shop"], routerLabels: { app: "gw" }, targets: [], reconnectEveryMs: 1000 };
  return fleetMembers({ proxies: 8, shares, ...names, ...rest });
}
