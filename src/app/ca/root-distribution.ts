import { rotationPage } from "../../admin/pilot/ca-rotation.ts";
import type { Route } from "../../admin/route.ts";
import type { RotationTimes } from "../../ca/rotation.ts";
import type { Signer } from "../../ca/signer.ts";
import { errorFrom } from "../../lib/errors.ts";
import type { PilotGraph } from "../build-pilot.ts";
import { installRotationGauge } from "../gauges/rotation-gauge.ts";
import { clusterOf, elected } from "../kube/elected.ts";
import type { ProcessContext } from "../parts/process-part.ts";
import type { Component } from "../process/lifecycle.ts";
import { parseSourceUrl, type SourceUrl } from "../sources/source-url.ts";
import { rotationReport } from "./rotation-report.ts";
import { RootCertificatePublisher } from "./root-certificates/publisher.ts";
import type { RootKeeper } from "./root-keeper.ts";
import { tellTrustedRoots } from "./trusted-roots.ts";

type DistributedRoots = Pick<Signer, "trusted" | "onChange">;

/** The rotation of roots. An operator rotates those of an external signer. */
interface RotatedRoots {
  readonly keeper: RootKeeper;
  readonly times: RotationTimes;
}

/** The parts of the process that distribute the roots. */
export interface RootDistribution {
  readonly components: readonly Component[];
  readonly pages: readonly Route[];
}

const lease = "binnacle-root-certificates";
const part = "certificate authority";

/**
 * Distributes the trusted roots to agents over xDS, and to every namespace of the clusters that are sources. Shows the
 * rotation on a page and in metrics. Throws `source-unavailable`.
 */
export function rootDistribution(
  context: ProcessContext,
  mesh: PilotGraph,
  authority: DistributedRoots,
  rotated?: RotatedRoots,
): RootDistribution {
  const { options, supervisor } = context;
  const clusters = options.sources.map(parseSourceUrl).filter(({ scheme }) => scheme === "kube");
  const published = clusters.map((url) => publication(context, authority, url));
  const distribute = () => {
    tellTrustedRoots(mesh, authority);
    for (const { publisher } of published) publisher.publish();
  };
  authority.onChange(supervisor.guard(part, distribute, { again: distribute }));
  return {
    components: published.map(({ election }) => election),
    pages: rotated === undefined ? [] : [rotationShown(context, rotated)],
  };
}

function rotationShown({ metrics }: ProcessContext, { keeper, times }: RotatedRoots): Route {
  installRotationGauge(metrics, () => keeper.roots?.phase);
  return rotationPage({
    report: () => rotationReport(keeper, times),
    carryOut: async (command) => void (await keeper.carryOut(command)),
  });
}

function publication(context: ProcessContext, authority: DistributedRoots, url: SourceUrl) {
  const { supervisor, logs } = context;
  const logger = logs.logger("ca").child({ source: url.name });
  const cluster = clusterOf(context, { flag: "ca", context: url.rest || undefined });
  /** Retries are frequent, but the reason is logged once. */
  let trouble: string | undefined;
  const publisher = new RootCertificatePublisher({
    client: cluster.client,
    clock: supervisor.clockFor(part),
    random: Math.random,
    bundle: () => authority.trusted.map((pem) => `${pem.trim()}\n`).join(""),
    onWritten: (namespace, result) => logger.info({ namespace, result }, "root certificates written"),
    onFailure: (namespace, error) => {
      logger.warn({ namespace, reason: errorFrom(error).message }, "root certificates not written");
    },
    onError(error) {
      const { message: reason } = errorFrom(error);
      const isNews = reason !== trouble;
      trouble = reason;
      if (isNews) logger.warn({ reason }, "namespaces not followed");
    },
  });
  return { publisher, election: elected(context, cluster, { lease, led: publisher, logger }) };
}
