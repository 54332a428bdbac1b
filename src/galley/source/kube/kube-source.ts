import type { Kind } from "../../../config/kind.ts";
import { KubeClient } from "../../../kube/kube-client.ts";
import type { kubeLimits } from "../../../kube/kube-limits.ts";
import type { KubeAccess } from "../../../kube/kubeconfig.ts";
import type { Limits } from "../../../lib/bounded/limit.ts";
import { errorFrom, MeshError } from "../../../lib/errors.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import { SessionSource } from "../session-source.ts";
import { KubeSession } from "./kube-session.ts";

export interface KubeSourceOptions {
  readonly name: string;
  readonly kinds: readonly Kind[];
  readonly clock: Clock;
  readonly access: KubeAccess;
  /** The namespaces that are read; none for all of them. What belongs to no namespace is read anyhow. */
  readonly namespaces: readonly string[];
  /** Of these, the namespaces with such labels, as `kubectl get --selector` takes them. */
  readonly namespaceSelector: string | undefined;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Other limits than those of the table. */
  readonly limits?: Partial<Limits<typeof kubeLimits>>;
}

/**
 * The objects of a Kubernetes API server, watched. `start` rejects where the kubeconfig cannot be used, and otherwise
 * resolves at once: a server that cannot be reached makes the source stale, and is tried for ever. Nothing is ever
 * reset: after an interruption only the difference is said.
 */
export function createKubeSource(options: KubeSourceOptions): SessionSource {
  return new SessionSource({
    name: options.name,
    collections: options.kinds.map(({ collection }) => collection),
    open: (handler) => new KubeSession(options, clientFor(options), handler),
  });
}

function clientFor({ name, access, clock, limits }: KubeSourceOptions): KubeClient {
  try {
    return new KubeClient(access, clock, limits);
  } catch (cause) {
    throw new MeshError("source-unavailable", `${name}: ${errorFrom(cause).message}`, { cause });
  }
}
