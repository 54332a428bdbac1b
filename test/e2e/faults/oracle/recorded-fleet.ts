import assert from "node:assert/strict";
import type { FleetMember } from "../../../../src/fleet/connected-proxy.ts";
import { Fleet } from "../../../../src/fleet/fleet.ts";
import type { VirtualProxy } from "../../../../src/fleet/virtual-proxy.ts";
import type { KeepAliveOptions } from "../../../../src/transport/keep-alive.ts";
import { type Bound, eventually } from "../../../../src/testing/eventually.ts";
import type { BinnacleOptions } from "../../support/binnacle/server.ts";
import { differences, givenAt, holdingOf, truthOf } from "../../support/xds/holdings.ts";
import { steadyProxies } from "../../support/xds/steady-fleet.ts";
import { ClientRecord } from "./client-record.ts";
import { type KnownMarks, learnMarks } from "./resource-marks.ts";

/** The setting of a fresh server, where it must be that of the tested one. */
export type FreshServer = Pick<BinnacleOptions, "args" | "within">;

/**
 * Sidecars and gateways in SotW and delta, on real sockets, that record every state they ever hold. The mesh has the
 * objects of `generations.ts`. The oracle finds:
 *
 * - an older generation after a newer one;
 * - a type that becomes empty, a service that loses its endpoints, a constant resource that goes or changes;
 * - an inbound listener without a policy, or with policies of different generations;
 * - the same in a route configuration with its virtual hosts, wherever they arrived: in it, or as resources;
 * - a response that brings nothing new, a reference to a cluster that is not there.
 */
export class RecordedFleet implements Disposable {
  readonly #members = steadyProxies().map(redirected);
  readonly #known: KnownMarks = new Map();
  readonly #records = this.#members.map((member) => new ClientRecord(member, this.#known));
  readonly #fleet: Fleet;

  /** `pings`: the clients notice a server that vanished without closing. */
  constructor(port: number, pings?: KeepAliveOptions) {
    this.#fleet = new Fleet({
      address: { host: "127.0.0.1", port },
      members: this.#members,
      perSecond: undefined,
      ...(pings && { pings }),
      onApplied: (proxy, response) => this.#applied(proxy, response),
    });
    this.#fleet.start();
  }

  /** Resolves when every client holds this generation, with the seconds that this took. */
  async untilHolds(generation: number, bound: Bound): Promise<number> {
    const start = performance.now();
    const everybody = () => {
      assert.deepEqual(
        this.#records.flatMap((record) => record.lacks(generation)),
        [],
      );
      return this.#fleet.report.late === 0;
    };
    await eventually(`every client holds generation ${generation}`, everybody, bound);
    return (performance.now() - start) / 1000;
  }

  /** The responses so far, for rules about quiet faults: a resumed delta stream brings no resource twice. */
  get responses() {
    return this.#fleet.report.types;
  }

  /** Streams that ended, by reason. A server on a busy machine may refuse new streams for a moment. */
  get endedStreams(): Readonly<Record<string, number>> {
    const all = Object.entries(this.#fleet.report.lost);
    return Object.fromEntries(all.filter(([reason]) => !reason.includes("the server is overloaded")));
  }

  get findings(): readonly string[] {
    const { broken, remarks, types } = this.#fleet.report;
    const needless = Object.values(types).reduce((sum, type) => sum + type.needless, 0);
    const counted = broken + needless > 0 ? [`${broken} broken references, ${needless} needless responses`] : [];
    return [...this.#records.flatMap((record) => record.findings), ...counted, ...remarks];
  }

  /** The differences from the resources that a fresh server gives for these files. */
  async differencesFromFresh(dir: string, fresh: FreshServer = {}): Promise<readonly string[]> {
    const truth = await truthOf(dir, this.#members, fresh);
    return this.#fleet.proxies.flatMap((proxy, index) => differences(holdingOf(proxy), truth[index] ?? {}));
  }

  /** The differences from the resources that the server at this port gives to new clients. */
  async differencesFrom(port: number): Promise<readonly string[]> {
    const truth = await givenAt(port, this.#members);
    return this.#fleet.proxies.flatMap((proxy, index) => differences(holdingOf(proxy), truth[index] ?? {}));
  }

  /** Whether every client holds a cluster of this name. */
  hasCluster(name: string): boolean {
    return this.#fleet.proxies.every((proxy) => proxy.held("CDS").has(name));
  }

  [Symbol.dispose](): void {
    this.#fleet.stop();
  }

  #applied(proxy: VirtualProxy, response: Uint8Array): void {
    const index = this.#fleet.proxies.indexOf(proxy);
    const [member, record] = [this.#members[index], this.#records[index]];
    if (member === undefined || record === undefined) throw new Error("a proxy of another fleet");
    learnMarks(member.mode, response, this.#known);
    record.applied(proxy);
  }
}

/** Traffic is redirected to the proxy, so that it has inbound listeners without a Sidecar object. */
function redirected(member: FleetMember): FleetMember {
  const metadata = { ...member.node.metadata, INTERCEPTION_MODE: "REDIRECT" };
  return { ...member, node: { ...member.node, metadata } };
}
