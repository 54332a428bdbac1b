import type { Answer, AnswerOptions } from "../subscription/answer.ts";
import type { Subscription } from "../subscription/subscription.ts";

/**
 * Rules of Envoy's cluster warming. When CDS changes an EDS cluster, Envoy warms the new cluster until endpoints arrive
 * after that CDS response. Until then Envoy withholds the CDS acknowledgement. A server that sends only changes would
 * wait for that acknowledgement forever. Without any one of these rules a real Envoy hangs. The end-to-end tests
 * disable them one by one to prove that this is still so.
 */
export interface WarmingRules {
  /** After each CDS response, the server sends the endpoints of its new and changed clusters. */
  readonly endpointsFollowClusters: boolean;
  /** The server also sends the endpoints of clusters that leave again after a NACK. */
  readonly rejectedClustersNeedEndpoints: boolean;
  /** EDS never waits for the CDS acknowledgement. */
  readonly endpointsOvertakeAcks: boolean;
  /** After a resume, the server sends the endpoints of resent clusters even if the client holds their version. */
  readonly resentClustersNeedEndpoints: boolean;
  /** If a fresh stream requests EDS before CDS, the client is warming, and its held versions do not count. */
  readonly endpointsFirstMeansWarming: boolean;
  /** A SotW EDS request that repeats names under an acknowledged nonce is a new request, not an acknowledgement. */
  readonly repeatedRequestIsQuestion: boolean;
}

/** All rules. Only tests disable one. */
export const warmingRules: WarmingRules = {
  endpointsFollowClusters: true,
  rejectedClustersNeedEndpoints: true,
  endpointsOvertakeAcks: true,
  resentClustersNeedEndpoints: true,
  endpointsFirstMeansWarming: true,
  repeatedRequestIsQuestion: true,
};

/** The state that warming needs for one stream: the clusters it was sent, and when it requested endpoints. */
export class Warming {
  readonly #rules: WarmingRules;
  /** Endpoints of clusters that were sent before the stream requested endpoints. */
  readonly #awaited = new Set<string>();
  #warmingAtStart = false;

  constructor(rules: WarmingRules) {
    this.#rules = rules;
  }

  /** A CDS response has left. Its clusters need endpoints that arrive after it. */
  clustersSent(answer: Answer, endpoints: Subscription | undefined): void {
    if (endpoints === undefined) for (const name of this.#awaitedBy(answer)) this.#awaited.add(name);
    else if (this.#rules.endpointsFollowClusters) endpoints.forceSend(this.#awaitedBy(answer), "clusters_sent");
  }

  /** The CDS acknowledgement is overdue, perhaps because clusters still warm. Closing the stream would not help. */
  clustersOverdue(answer: Answer, endpoints: Subscription | undefined): void {
    endpoints?.forceSend(this.#awaitedBy(answer), "clusters_overdue");
  }

  endpointsAsked({ clustersAsked }: { clustersAsked: boolean }): void {
    this.#warmingAtStart = !clustersAsked && this.#rules.endpointsFirstMeansWarming;
  }

  /** Selects the versions from an earlier stream that do not count in the first EDS answer. */
  get mustResend(): AnswerOptions["mustResend"] {
    if (this.#warmingAtStart) return () => true;
    if (this.#awaited.size === 0 || !this.#rules.resentClustersNeedEndpoints) return undefined;
    return (name) => this.#awaited.has(name);
  }

  /** The endpoints that Envoy needs after this CDS response. */
  #awaitedBy({ changed, resent }: Answer): readonly string[] {
    const clusters = this.#rules.rejectedClustersNeedEndpoints ? [...changed, ...resent] : changed;
    return clusters.map((cluster) => cluster.warmedBy).filter((name) => name !== undefined);
  }
}
