import type { Kind } from "../../../config/kind.ts";
import { KubeClient } from "../../../kube/kube-client.ts";
import type { KubeAccess } from "../../../kube/kubeconfig.ts";
import type { Clock } from "../../../lib/clock.ts";
import { errorFrom, MeshError } from "../../../lib/errors.ts";
import type { Source, SourceHandler } from "../source.ts";
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
}

/**
 * The objects of a Kubernetes API server, watched. `start` rejects where the kubeconfig cannot be used, and otherwise
 * resolves at once: a server that cannot be reached makes the source stale, and is tried for ever. Nothing is ever
 * reset: after an interruption only the difference is said.
 */
export class KubeSource implements Source {
  readonly name: string;
  readonly collections: readonly string[];
  readonly #options: KubeSourceOptions;
  #session: KubeSession | undefined;

  constructor(options: KubeSourceOptions) {
    this.name = options.name;
    this.collections = options.kinds.map(({ collection }) => collection);
    this.#options = options;
  }

  async start(handler: SourceHandler): Promise<void> {
    this.#session ??= new KubeSession(this.#options, this.#client(), handler);
  }

  /** Waits for nobody: what is still on its way is not heard. */
  stop(): Promise<void> {
    this.#session?.close();
    this.#session = undefined;
    return Promise.resolve();
  }

  idle(): Promise<void> {
    return this.#session?.idle() ?? Promise.resolve();
  }

  #client(): KubeClient {
    try {
      return new KubeClient(this.#options.access, this.#options.clock);
    } catch (cause) {
      throw new MeshError("source-unavailable", `${this.name}: ${errorFrom(cause).message}`, { cause });
    }
  }
}
