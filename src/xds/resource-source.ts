import type { ResourceType } from "./resource-type.ts";
import type { NameSet } from "./resources/name-set.ts";
import type { Target } from "./resources/target.ts";

/** Who is at the other end of a stream. A source may know more of it. */
export interface Client {
  readonly nodeId: string;
}

/** Where resources come from: what a server serves. */
export interface ResourceSource<C extends Client> {
  /** All there are, in the order in which they are sent. */
  readonly types: readonly ResourceType[];
  /** A type that is not among them and is answered all the same, in the order of asking; without it there is none. */
  unlisted?(typeUrl: string): ResourceType;
  /** Takes part in what a client gets of a type. Called again whenever the client asks for other names, and on a push. */
  lease(type: ResourceType, client: C, asked: NameSet | "all"): Lease;
}

/** A client's hold on its resources of one type, until `end`. */
export interface Lease {
  /** Names the class of clients that get the very same: streams are served class by class. */
  readonly id: string;
  /** The resources as they are now; `undefined` when they cannot be made, and then nothing is answered. */
  readonly target: Target | undefined;
  end(): void;
}

/** Why streams are looked at again: something was published. */
export interface Push {
  /** How often each cause was seen. */
  readonly reasons: ReadonlyMap<string, number>;
  /** When the oldest of them was noticed, in the clock's milliseconds. */
  readonly startedAt: number;
}
