import { KubeClient } from "../../../kube/kube-client.ts";
import { errorFrom, MeshError } from "../../../lib/errors.ts";
import { SessionSource } from "../session-source.ts";
import { KubeSession, type KubeSourceOptions } from "./kube-session.ts";

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
