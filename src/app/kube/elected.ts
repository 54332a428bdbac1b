import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { KubeClient } from "../../kube/kube-client.ts";
import { errorFrom, MeshError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/logger.ts";
import { electionsOf } from "../gauges/leader-gauge.ts";
import type { ProcessContext } from "../parts/process-part.ts";
import { type Component, component } from "../process/lifecycle.ts";
import { kubeLease } from "./lease/kube-lease.ts";
import { LeaderElection, type Led } from "./lease/leader-election.ts";

/** A cluster that Binnacle writes to. */
export interface Cluster {
  readonly client: KubeClient;
  /** The namespace of our Leases. */
  readonly namespace: string;
}

/** The flag that needs a cluster, and the context of that cluster. */
export interface ClusterWanted {
  readonly flag: string;
  /** A context of the kubeconfig; defaults to the current context. */
  readonly context?: string | undefined;
}

/** Throws `source-unavailable`, with the name of the flag, if the kubeconfig gives no cluster. */
export function clusterOf(
  { options, clock }: Pick<ProcessContext, "options" | "clock">,
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
  /** The Lease that the leader holds. */
  readonly lease: string;
  readonly led: Led;
  readonly logger: Logger;
}

/** Runs work on the leader only, of all processes that use the cluster. Without a Lease, no process runs the work. */
export function elected(
  { supervisor, metrics }: Pick<ProcessContext, "supervisor" | "metrics">,
  { client, namespace }: Cluster,
  duty: Duty,
): Component {
  const { lease: name, led } = duty;
  const clock = supervisor.clockFor("leader election");
  const logger = duty.logger.child({ lease: `${namespace}/${name}` });
  const identity = `${hostname()}_${randomUUID()}`;
  /** The reason why there is no lease. Retries run every two seconds, but the reason is logged once. */
  let trouble: string | undefined;
  const election = new LeaderElection({
    store: kubeLease(client, { namespace, name }),
    identity,
    clock,
    now: () => new Date(),
    led,
    onLeader(leader) {
      trouble = undefined;
      logger.info({ leader, ours: leader === identity }, "leader elected");
    },
    onError(error) {
      const { message: reason } = errorFrom(error);
      const isNews = reason !== trouble;
      trouble = reason;
      if (isNews) logger.warn({ reason }, "leader election failed");
    },
    onLedFailure: (error) => supervisor.failed("leader election", error, { facts: { lease: name } }),
  });
  electionsOf(metrics).set(name, () => election.leading);
  return component(name, {
    start: () => election.start(),
    stop: async () => {
      await election.stop();
      client[Symbol.dispose]();
    },
  });
}
