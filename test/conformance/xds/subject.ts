import { clusterType, endpointType, listenerType, routeType } from "../../../src/xds/type-urls.ts";

/** The services that the public outlines are about. */
export type DiscoveryService = "CDS" | "EDS" | "LDS" | "RDS";

export const typeUrls: Readonly<Record<DiscoveryService, string>> = {
  CDS: clusterType,
  EDS: endpointType,
  LDS: listenerType,
  RDS: routeType,
};

/** One of the four ways to speak xDS. */
export interface Variant {
  readonly mode: "sotw" | "delta";
  readonly aggregated: boolean;
}

export const variants: readonly Variant[] = [
  { mode: "sotw", aggregated: false },
  { mode: "sotw", aggregated: true },
  { mode: "delta", aggregated: false },
  { mode: "delta", aggregated: true },
];

/** Always there, in every service, and in no outline: what clients ask for to learn that nothing else came before. */
export const fenceName = "~";

/** Resources by letter. */
export type State = Readonly<Partial<Record<DiscoveryService, readonly string[]>>>;

/** A server under test, and the power to say what it serves. Every change has been published when its call returns. */
export interface XdsSubject {
  readonly address: string;
  /** How long it may keep a client waiting for what it must say, before the run has failed. */
  readonly patienceMs: number;
  /** A node that has a state of its own, for one run. */
  newNode(): TestNode;
}

/** A node as a stream speaks of it and of its resources. */
export interface NodeOnWire {
  readonly id: string;
  readonly cluster?: string;
  readonly metadata: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  /** The name of a letter on the wire, and back; a resource that is none of the run's has no letter. */
  wireName(service: DiscoveryService, letter: string): string;
  letter(service: DiscoveryService, wireName: string): string | undefined;
  /** Some servers answer with an empty resource for what is not there. */
  exists(service: DiscoveryService, value: Uint8Array): boolean;
}

export interface TestNode extends NodeOnWire {
  set(state: State, version: string): Promise<void>;
  /** Adds the resource, or gives it a new version. */
  put(service: DiscoveryService, name: string, version: string): Promise<void>;
  remove(service: DiscoveryService, name: string): Promise<void>;
  /** More than an outline has; a server that cannot be given so many is asked for them all the same. */
  setMany?(service: DiscoveryService, names: readonly string[], version: string): Promise<void>;
  /** The letter under which the endpoints of a cluster are asked for. */
  endpointsOf(cluster: string): string;
  /** Whether versions are told as they were given; else they are the server's own business. */
  readonly verbatimVersions: boolean;
}
