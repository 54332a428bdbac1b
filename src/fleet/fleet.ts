import type { KeepAliveOptions } from "../transport/keep-alive.ts";
import type { ServerAddress } from "./ads-call.ts";
import { createNameSections } from "./ads-requests.ts";
import { ConnectedProxy, type FleetMember } from "./connected-proxy.ts";
import { ResourcePool } from "./resource-pool.ts";
import { type FleetCounts, Tally } from "./tally.ts";
import type { VirtualProxy } from "./virtual-proxy.ts";

export interface FleetOptions {
  readonly address: ServerAddress;
  readonly members: readonly FleetMember[];
  /** The rate of new connections per second. Undefined opens all at once. */
  readonly perSecond: number | undefined;
  /** Pings of every proxy. Default: none. */
  readonly pings?: KeepAliveOptions;
  /** Called after a proxy has applied a response, with the bytes of the response. */
  readonly onApplied?: (proxy: VirtualProxy, response: Uint8Array) => void;
}

/** The counts of a fleet, and its current state. */
export interface FleetReport extends FleetCounts {
  readonly proxies: number;
  readonly connected: number;
  readonly inSync: number;
  /** Proxies that should be in sync and are not. Slow readers and deliberate reconnects do not count. */
  readonly late: number;
  /** References that stay unresolved: the configuration names clusters that do not exist. */
  readonly dangling: number;
}

/** Many virtual proxies in one process, on real sockets. */
export class Fleet {
  readonly #options: FleetOptions;
  readonly #tally = new Tally();
  readonly #members: readonly ConnectedProxy[];
  #starting: NodeJS.Timeout[] = [];

  constructor(options: FleetOptions) {
    this.#options = options;
    const { pings, onApplied = () => undefined } = options;
    const pool = new ResourcePool();
    const shared = { pool, nameSections: createNameSections(), tally: this.#tally, pings, onApplied };
    this.#members = options.members.map((member) => new ConnectedProxy(member, options.address, shared));
  }

  start(): void {
    const { perSecond } = this.#options;
    const gapMs = perSecond === undefined ? 0 : 1000 / perSecond;
    this.#starting = this.#members.map((member, index) => setTimeout(() => member.open(), index * gapMs));
  }

  /** Closes all connections. The report stays unchanged. */
  stop(): void {
    for (const timer of this.#starting) clearTimeout(timer);
    for (const member of this.#members) member.close();
  }

  /** When the last response arrived, on the clock of `performance.now()`. */
  get lastResponseAt(): number {
    return this.#tally.lastAt;
  }

  /** A line about the current state. */
  get progress(): string {
    const { proxies, connected, inSync, types } = this.report;
    const responses = Object.values(types).reduce((sum, type) => sum + type.responses, 0);
    return `${connected} of ${proxies} proxies are connected, ${inSync} in sync, ${responses} responses`;
  }

  get proxies(): readonly VirtualProxy[] {
    return this.#members.map(({ proxy }) => proxy);
  }

  get report(): FleetReport {
    const count = (what: (member: ConnectedProxy) => boolean) => this.#members.filter(what).length;
    return {
      proxies: this.#members.length,
      connected: count((member) => member.connected),
      inSync: count(({ proxy }) => proxy.synced),
      late: count((member) => member.steady && !member.proxy.synced),
      dangling: this.#members.reduce((sum, { proxy }) => sum + proxy.dangling, 0),
      ...this.#tally.counts,
    };
  }
}
