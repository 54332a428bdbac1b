import type { DeltaDiscoveryResponse } from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { clusterType, endpointType, listenerType, routeType, virtualHostType } from "../../../../src/xds/type-urls.ts";
import type { EnvoyNode } from "../envoy/bootstrap.ts";
import { DeltaClient } from "./ads-client.ts";

/** By name: the version of a resource, and its bytes. */
type HeldResources = ReadonlyMap<string, { readonly version: string; readonly bytes: string }>;

/** The resources that a proxy holds, by type. */
export type Held = ReadonlyMap<string, HeldResources>;

const types = [clusterType, endpointType, listenerType, routeType];

/** A delta proxy that accepts everything, keeps its resources, and may bring resources from another server. */
export class DeltaHolder implements Disposable {
  readonly #client: DeltaClient;
  readonly #held = new Map<string, Map<string, { version: string; bytes: string }>>();
  /** The responses so far, as `type +name -name`. An empty response to a proxy that is up to date does not count. */
  readonly sent: string[] = [];

  constructor(port: number, node: EnvoyNode, brought: Held = new Map()) {
    this.#client = new DeltaClient(port, node);
    for (const type of [...types, ...brought.keys()]) this.#held.set(type, new Map(brought.get(type)));
    for (const type of brought.keys()) this.ask(type, isWildcard(type) ? [] : [...(brought.get(type)?.keys() ?? [])]);
  }

  get held(): Held {
    return this.#held;
  }

  /** Subscribes to these names of a type, or to all. The request lists the resources that the proxy already holds. */
  ask(type: string, names: readonly string[] = []): void {
    if (!this.#held.has(type)) this.#held.set(type, new Map());
    const versions = [...(this.#held.get(type) ?? [])].map(([name, { version }]) => [name, version]);
    this.#client.subscribe(type, names, Object.fromEntries(versions));
  }

  /** The names of the changed resources in the next response of the type. */
  async next(type: string): Promise<readonly string[]> {
    return this.#take(await this.#client.next(type));
  }

  /** Handles the responses that have arrived by now. */
  async take(): Promise<void> {
    for (const type of this.#held.keys()) while (this.#client.stream.waiting(type) > 0) await this.next(type);
  }

  [Symbol.dispose](): void {
    this.#client[Symbol.dispose]();
  }

  #take(response: DeltaDiscoveryResponse): readonly string[] {
    const { typeUrl, resources, removedResources } = response;
    const held = this.#held.get(typeUrl);
    for (const { name, version, resource } of resources)
      held?.set(name, { version, bytes: Buffer.from(resource?.value ?? []).toString("base64") });
    for (const name of removedResources) held?.delete(name);
    const names = resources.map(({ name }) => name).toSorted();
    const changes = [...names.map((name) => `+${name}`), ...removedResources.map((name) => `-${name}`)];
    if (changes.length > 0) this.sent.push([typeUrl, ...changes].join(" "));
    this.#client.ack(response);
    return names;
  }
}

function isWildcard(type: string): boolean {
  return type === clusterType || type === listenerType || type === virtualHostType;
}
