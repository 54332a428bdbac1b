import { SessionSource } from "../session-source.ts";
import { EtcdSession, type EtcdSourceOptions } from "./etcd-session.ts";

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
