import type { Answer, AnswerOptions } from "../subscription/answer.ts";
import type { Subscription } from "../subscription/subscription.ts";

/**
 * What Envoy's cluster warming demands beyond "send what changed". When CDS changes an EDS cluster, Envoy keeps the
 * new one aside until its endpoints arrive again, after that CDS response, and withholds the CDS acknowledgement
 * until then. A server that sends only what changed would wait for that acknowledgement for ever. Each rule was seen
 * to hang a real Envoy when broken; the end-to-end tests switch them off one by one to show that it still does.
 */
export interface WarmingRules {
  /** Whenever a CDS response leaves, the endpoints of its new and changed clusters leave after it. */
  readonly endpointsFollowClusters: boolean;
  /** So do the endpoints of clusters that leave again because the client rejected an answer with them. */
  readonly rejectedClustersNeedEndpoints: boolean;
  /** EDS never waits for the CDS acknowledgement. */
  readonly endpointsOvertakeAcks: boolean;
  /** After a resume, endpoints of clusters that were sent anew are sent even if the client holds their version. */
  readonly resentClustersNeedEndpoints: boolean;
  /** EDS asked for before CDS on a fresh stream: the client is warming, its held versions do not count. */
  readonly endpointsFirstMeansWarming: boolean;
  /** A SotW EDS request that repeats names under an acknowledged nonce is a question, not an acknowledgement. */
  readonly repeatedRequestIsQuestion: boolean;
}

/** All of them: only tests serve without one. */
export const warmingRules: WarmingRules = {
  endpointsFollowClusters: true,
  rejectedClustersNeedEndpoints: true,
  endpointsOvertakeAcks: true,
  resentClustersNeedEndpoints: true,
  endpointsFirstMeansWarming: true,
  repeatedRequestIsQuestion: true,
};

/** The part of one stream's state that warming needs: which clusters it was sent, and when endpoints were asked for. */
export class Warming {
  readonly #rules: WarmingRules;
  /** Endpoints of clusters sent on this stream before it asked for endpoints. */
  readonly #awaited = new Set<string>();
  #warmingAtStart = false;

  constructor(rules: WarmingRules) {
    this.#rules = rules;
  }

  /** A CDS response has left; the clusters that it brings wait for endpoints that come after it. */
  clustersSent(answer: Answer, endpoints: Subscription | undefined): void {
    if (endpoints === undefined) for (const name of this.#awaitedBy(answer)) this.#awaited.add(name);
    else if (this.#rules.endpointsFollowClusters) endpoints.owe(this.#awaitedBy(answer), "clusters_sent");
  }

  /** The CDS acknowledgement does not come: perhaps the clusters are still waiting. Closing the stream helps nobody. */
  clustersOverdue(answer: Answer, endpoints: Subscription | undefined): void {
    endpoints?.owe(this.#awaitedBy(answer), "clusters_overdue");
  }

  endpointsAsked({ clustersAsked }: { clustersAsked: boolean }): void {
    this.#warmingAtStart = !clustersAsked && this.#rules.endpointsFirstMeansWarming;
  }

  /** Which versions that the client kept from an earlier stream do not count in the first EDS answer, if any. */
  get mustResend(): AnswerOptions["mustResend"] {
    if (this.#warmingAtStart) return () => true;
    if (this.#awaited.size === 0 || !this.#rules.resentClustersNeedEndpoints) return undefined;
    return (name) => this.#awaited.has(name);
  }

  /** The endpoints that Envoy waits for after this CDS response. */
  #awaitedBy({ changed, resent }: Answer): readonly string[] {
    const clusters = this.#rules.rejectedClustersNeedEndpoints ? [...changed, ...resent] : changed;
    return clusters.map((cluster) => cluster.warmedBy).filter((name) => name !== undefined);
  }
}
