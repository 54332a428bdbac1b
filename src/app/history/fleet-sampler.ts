import type { LoggedProxy } from "../../history/fleet.ts";
import { hashText } from "../../lib/hash.ts";
import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import type { DiscoveryServer } from "../../pilot/xds/discovery-server.ts";
import { loggedProxy } from "./logged-proxy.ts";
import { lagsOf, type RawLags } from "./proxy-lags.ts";
import type { PushPositions } from "./push-positions.ts";

/** The differences among the connected proxies to the last sample. The log turns positions into moments when it writes them. */
export interface FleetSample {
  readonly at: number;
  /** The position of the newest push. */
  readonly published: number;
  readonly came: readonly LoggedProxy[];
  readonly gone: readonly string[];
  readonly behind: readonly (readonly [nodeId: string, lags: RawLags])[];
  readonly current: readonly string[];
}

interface Known {
  readonly client: Proxy;
  /** The hash of its facts. */
  readonly facts: string;
  /** Its lags as JSON; empty if it has accepted everything. */
  readonly lags: string;
}

export type ConnectedProxies = Pick<DiscoveryServer, "connections" | "queuedFor">;

/** Compares the connected proxies with the last time. It costs one look at each stream, and nothing in between. */
export class FleetSampler {
  readonly #discovery: ConnectedProxies;
  readonly #positions: PushPositions;
  #known = new Map<string, Known>();
  #published = -1;

  constructor(discovery: ConnectedProxies, positions: PushPositions) {
    this.#discovery = discovery;
    this.#positions = positions;
  }

  /** The next sample has all proxies: the log has lost those before. */
  reset(): void {
    this.#known.clear();
    this.#published = -1;
  }

  /** Undefined if nothing changed. */
  sample(at: number): FleetSample | undefined {
    const { published } = this.#positions;
    const came: LoggedProxy[] = [];
    const behind: (readonly [nodeId: string, lags: RawLags])[] = [];
    const current: string[] = [];
    const now = new Map<string, Known>();
    // Of two streams of a proxy, the newer one counts.
    const connections = new Map(Array.from(this.#discovery.connections, (each) => [each.client.nodeId, each]));
    for (const [nodeId, connection] of connections) {
      const { client } = connection;
      const lags = lagsOf(connection, this.#discovery.queuedFor(connection), this.#positions);
      const known = this.#known.get(nodeId);
      const { facts, proxy } = factsOf(client, known);
      const next: Known = { client, facts, lags: textOf(lags) };
      now.set(nodeId, next);
      if (proxy !== undefined) came.push(proxy);
      const before = proxy === undefined ? known?.lags : "";
      if (next.lags === before) continue;
      if (next.lags === "") current.push(nodeId);
      else behind.push([nodeId, lags]);
    }
    const gone = [...this.#known.keys()].filter((nodeId) => !now.has(nodeId));
    const isNew = published !== this.#published || [came, gone, behind, current].some((list) => list.length > 0);
    this.#known = now;
    this.#published = published;
    return isNew ? { at, published, came, gone, behind, current } : undefined;
  }
}

/** The proxy is returned if its facts are new. */
function factsOf(client: Proxy, known: Known | undefined): { readonly facts: string; readonly proxy?: LoggedProxy } {
  if (known?.client === client) return { facts: known.facts };
  const proxy = loggedProxy(client);
  const facts = hashText(JSON.stringify(proxy));
  return facts === known?.facts ? { facts } : { facts, proxy };
}

function textOf(lags: RawLags): string {
  return Object.keys(lags).length === 0 ? "" : JSON.stringify(lags);
}
