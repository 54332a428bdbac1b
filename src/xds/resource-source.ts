import type { ResourceType } from "./resource-type.ts";
import type { NameSet } from "./resources/name-set.ts";
import type { Target } from "./resources/target.ts";
import type { PushRange } from "./stream/push-set.ts";

/** The client of a stream. A source may add its own fields. */
export interface Client {
  readonly nodeId: string;
}

/** Provides the resources that a server serves. */
export interface ResourceSource<C extends Client> {
  /** All listed types, in send order. */
  readonly types: readonly ResourceType[];
  /**
   * Returns an unlisted type that the source serves anyway, sent in the order of requests. Without this method there
   * are none.
   */
  unlisted?(typeUrl: string): ResourceType;
  /**
   * Route configurations with at least so many virtual hosts are split for this client on a delta stream: it gets the
   * hosts as resources (VHDS). The source leases whole ones. Undefined for a client that does not take virtual hosts.
   * Without this method no client does.
   */
  splitFrom?(client: C): number | undefined;
  /**
   * Takes a lease on a client's resources of a type. Called again on a push and whenever the client requests other
   * names, with the lease from before. A source that returns that lease itself prolongs it: the server does not end it.
   */
  lease(type: ResourceType, client: C, asked: NameSet | "all", before?: Lease): Lease;
}

/** A client's lease on its resources of one type, until `end`. */
export interface Lease {
  /** Names the class of clients that get identical resources. The server serves streams class by class. */
  readonly id: string;
  /** The current resources. `undefined` if they cannot be built; the server then sends no answer. */
  readonly target: Target | undefined;
  /** How long building the resources took in the last push, in milliseconds. 0 if the push left them unchanged. */
  readonly madeMs?: number;
  /** The source tries this target on the client, and another one if the client rejects it. */
  readonly isTrial?: boolean;
  end(): void;
}

/** A publication that makes the server check every stream again. */
export interface Push {
  /** How often each reason occurred. */
  readonly reasons: ReadonlyMap<string, number>;
  /** When the oldest of these reasons was noticed, in the clock's milliseconds. */
  readonly startedAt: number;
  /** The numbers of the publications. Without them, nobody follows how far they get. */
  readonly pushes?: PushRange;
}
