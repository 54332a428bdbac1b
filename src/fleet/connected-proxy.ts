import { errorFrom } from "../lib/errors.ts";
import type { KeepAliveOptions } from "../transport/keep-alive.ts";
import { AdsCall, type ServerAddress } from "./ads-call.ts";
import type { NameSections, ProxyNode } from "./ads-requests.ts";
import type { ResourcePool } from "./resource-pool.ts";
import { type StreamMode, readResponse } from "./response.ts";
import type { Tally } from "./tally.ts";
import { VirtualProxy } from "./virtual-proxy.ts";

/** One proxy of a fleet. */
export interface FleetMember {
  readonly node: ProxyNode;
  readonly mode: StreamMode;
  /** The listeners that a gRPC client requests; undefined for an Envoy. */
  readonly targets: readonly string[] | undefined;
  readonly rejects: boolean;
  /** The read rate in bytes per second. Undefined reads without a limit. */
  readonly bytesPerSecond: number | undefined;
  /** The interval of deliberate reconnects. Undefined never reconnects deliberately. */
  readonly reconnectEveryMs: number | undefined;
}

/** Envoy's retry delay without its exponential growth, because a benchmark needs its proxies back. */
const retryMs = { least: 500, spread: 500 };

/** State that all proxies of a fleet share. */
interface Shared {
  readonly pool: ResourcePool;
  readonly nameSections: NameSections;
  readonly tally: Tally;
  readonly pings: KeepAliveOptions | undefined;
  readonly onApplied: (proxy: VirtualProxy, response: Uint8Array) => void;
}

/** One proxy of the fleet, and its current connection. */
export class ConnectedProxy {
  readonly proxy: VirtualProxy;
  readonly #member: FleetMember;
  readonly #address: ServerAddress;
  readonly #shared: Shared;
  #call: AdsCall | undefined;
  #next: NodeJS.Timeout | undefined;
  #openedAt = 0;
  #open = false;

  constructor(member: FleetMember, address: ServerAddress, shared: Shared) {
    this.#member = member;
    this.#address = address;
    this.#shared = shared;
    this.proxy = this.#proxyFor(member);
  }

  get connected(): boolean {
    return this.#open;
  }

  /** True if only the server can keep this proxy out of sync. */
  get steady(): boolean {
    return this.#member.bytesPerSecond === undefined && this.#member.reconnectEveryMs === undefined;
  }

  open(): void {
    const { mode, bytesPerSecond, reconnectEveryMs } = this.#member;
    this.#openedAt = now();
    const call = new AdsCall({
      address: this.#address,
      mode,
      bytesPerSecond,
      pings: this.#shared.pings,
      onOpen: () => {
        this.#open = true;
        this.proxy.connect((bytes) => call.send(bytes));
      },
      onMessage: (bytes) => this.#receive(bytes),
      onClose: (reason) => this.#lost(reason),
    });
    this.#call = call;
    if (reconnectEveryMs !== undefined) this.#reopenIn(jittered(reconnectEveryMs));
  }

  close(): void {
    clearTimeout(this.#next);
    this.#call?.cut();
    this.#open = false;
    this.proxy.disconnect();
  }

  #receive(bytes: Uint8Array): void {
    try {
      const response = readResponse(this.#member.mode, bytes, this.#shared.pool);
      if (response === undefined) return;
      this.proxy.receive(response);
      this.#shared.onApplied(this.proxy, bytes);
    } catch (thrown) {
      this.#lost(`the response is unreadable: ${errorFrom(thrown).message}`);
    }
  }

  #lost(reason: string): void {
    this.#shared.tally.lost(reason);
    this.close();
    this.#reopenIn(retryMs.least + Math.random() * retryMs.spread);
  }

  #reopenIn(ms: number): void {
    clearTimeout(this.#next);
    this.#next = setTimeout(() => {
      this.close();
      this.open();
    }, ms);
  }

  #proxyFor({ node, mode, targets, rejects, bytesPerSecond }: FleetMember): VirtualProxy {
    const { pool, nameSections, tally } = this.#shared;
    return new VirtualProxy({
      node,
      mode,
      targets,
      rejects,
      reportsErrors: !rejects && bytesPerSecond === undefined,
      pool,
      nameSections,
      now,
      observer: {
        received: (response) => tally.received(response, now()),
        accepted: (response) => tally.accepted(response),
        rejected: (response) => tally.rejected(response),
        changed: (resource) => tally.changed(resource, now()),
        synced: (occasion) => tally.synced(occasion, now() - this.#openedAt),
        needless: (response) => tally.needless(response, node.id),
        broken: (sentence) => tally.broken(sentence, node.id),
      },
    });
  }
}

function now(): number {
  return performance.now();
}

/** Varies by a tenth, so that a fleet does not reconnect in step. */
function jittered(ms: number): number {
  return ms * (0.9 + Math.random() * 0.2);
}
