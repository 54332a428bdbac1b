import type { Kind } from "../../../config/kind.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import { SessionSource } from "../session-source.ts";
import type { EtcdMember } from "./etcd-member.ts";
import { EtcdSession } from "./etcd-session.ts";

export interface EtcdSourceOptions {
  /** As the user wrote it. */
  readonly name: string;
  /** The prefix of all keys, without a slash at the end. */
  readonly prefix: string;
  readonly kinds: readonly Kind[];
  readonly clock: Clock;
  readonly heartbeatMs: number;
  /** The most keys that the source holds. A store with more keys is not followed. */
  readonly maxKeys?: number;
  /** The members of the cluster, each as a function that connects to it. The source tries them in turn. */
  readonly members: readonly (() => Promise<EtcdMember>)[];
}

/**
 * Watches objects below a prefix of an etcd cluster. While no member can be followed the source is stale and keeps
 * trying.
 */
export function createEtcdSource(options: EtcdSourceOptions): SessionSource {
  return new SessionSource({
    name: options.name,
    collections: options.kinds.map(({ collection }) => collection),
    open: (handler) => new EtcdSession(options, handler),
  });
}
