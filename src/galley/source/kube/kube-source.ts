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
  /** The namespaces to read. Empty for all. Cluster-scoped objects are always read. */
  readonly namespaces: readonly string[];
  /** Restricts the namespaces by labels, in the syntax of `kubectl get --selector`. */
  readonly namespaceSelector: string | undefined;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Overrides of the default limits. */
  readonly limits?: Partial<Limits<typeof kubeLimits>>;
}

/**
 * Watches the objects of a Kubernetes API server. `start` rejects if the kubeconfig is unusable, and otherwise resolves
 * at once. An unreachable server makes the source stale, and is retried forever. The source never resets: after an
 * interruption it reports only the differences.
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
