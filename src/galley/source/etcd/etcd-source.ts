import type { Kind } from "../../../config/kind.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import { SessionSource } from "../session-source.ts";
import type { EtcdMember } from "./etcd-member.ts";
import { EtcdSession } from "./etcd-session.ts";

export interface EtcdSourceOptions {
  /** As the user wrote it. */
  readonly name: string;
  /** What all keys begin with, without a slash at the end. */
  readonly prefix: string;
  readonly kinds: readonly Kind[];
  readonly clock: Clock;
  readonly heartbeatMs: number;
  /** How many keys are held; more of them are not followed. */
  readonly maxKeys?: number;
  /** The members of the cluster, each by a function that connects to it: they are tried in turn. */
  readonly members: readonly (() => Promise<EtcdMember>)[];
}

/** Objects below a prefix of an etcd cluster, watched. While no member can be followed it is stale, and goes on trying. */
export function createEtcdSource(options: EtcdSourceOptions): SessionSource {
  return new SessionSource({
    name: options.name,
    collections: options.kinds.map(({ collection }) => collection),
    open: (handler) => new EtcdSession(options, handler),
  });
}
