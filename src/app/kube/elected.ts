import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { KubeClient } from "../../kube/kube-client.ts";
import { errorFrom, MeshError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Ground } from "../parts/part.ts";
import { type Component, component } from "../process/lifecycle.ts";
import { kubeLease } from "./lease/kube-lease.ts";
import { LeaderElection, type Led } from "./lease/leader-election.ts";

/** A cluster that something is written to. */
export interface Cluster {
  readonly client: KubeClient;
  /** Ours in it: where our Leases are. */
  readonly namespace: string;
}

/** Who needs a cluster, and which. */
export interface ClusterWanted {
  readonly flag: string;
  /** Of the kubeconfig; the current one unless said otherwise. */
  readonly context?: string | undefined;
}

/** Throws `source-unavailable`, with the name of the flag, when the kubeconfig leads to none. */
export function clusterOf(
  { options, clock }: Pick<Ground, "options" | "clock">,
  { flag, context }: ClusterWanted,
): Cluster {
  try {
    const client = new KubeClient({ kubeconfig: options.kubeconfig, context }, clock);
    return { client, namespace: options.leaseNamespace ?? client.namespace ?? "default" };
  } catch (thrown) {
    const { code, message } = MeshError.from(thrown);
    throw new MeshError(code, `--${flag}: ${message}`, { cause: thrown });
  }
}

export interface Duty {
  /** The Lease that whoever does it holds. */
  readonly lease: string;
  readonly led: Led;
  readonly logger: Logger;
}

/** What one process does of all that have the same cluster. Where none is to be found by Lease, nobody does it. */
export function elected(
  { supervisor }: Pick<Ground, "supervisor">,
  { client, namespace }: Cluster,
  duty: Duty,
): Component {
  const { lease: name, led } = duty;
  const clock = supervisor.clockFor(name);
  const logger = duty.logger.child({ lease: `${namespace}/${name}` });
  const identity = `${hostname()}_${randomUUID()}`;
  /** Why there is no lease: it is asked for every other second, and said once. */
  let trouble: string | undefined;
  const election = new LeaderElection({
    store: kubeLease(client, { namespace, name }),
    identity,
    clock,
    now: () => new Date(),
    led,
    onLeader(leader) {
      trouble = undefined;
      logger.info({ leader, ours: leader === identity }, "leader");
    },
    onError(error) {
      const { message: reason } = errorFrom(error);
      if (reason !== trouble) logger.warn({ reason }, "no lease to be had");
      trouble = reason;
    },
  });
  return component(name, {
    start: () => election.start(),
    stop: async () => {
      await election.stop();
      client[Symbol.dispose]();
    },
  });
}
