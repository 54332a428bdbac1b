import type { Answer, AnswerOptions } from "../subscription/answer.ts";
import type { Subscription } from "../subscription/subscription.ts";

/**
 * Rules of Envoy's warming. When CDS changes an EDS cluster, Envoy warms the new cluster until endpoints arrive
 * after that CDS response. Until then Envoy withholds the CDS acknowledgement. A server that sends only changes would
 * wait for that acknowledgement forever. A new listener warms until the virtual hosts of its routes arrive after the route
 * configuration. Without any one of these rules a real Envoy hangs. The end-to-end tests
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
  /** Virtual hosts never overtake a route configuration that is due. Envoy drops those that arrive before it. */
  readonly hostsWaitForRoutes: boolean;
  /** After each RDS response, the server sends the virtual hosts of route configurations that are new to the client. */
  readonly hostsFollowRoutes: boolean;
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
  hostsWaitForRoutes: true,
  hostsFollowRoutes: true,
  repeatedRequestIsQuestion: true,
};

/** The state that warming needs for one stream: the clusters it was sent, and when it requested endpoints. */
export class Warming {
  readonly #rules: WarmingRules;
  /** Responses with clusters that left before the stream requested endpoints. */
  #early: readonly Answer[] = [];
  /** The endpoints of these clusters. Read only for a client that holds endpoints from an earlier stream. */
  #awaited: ReadonlySet<string> | undefined;
  #warmingAtStart = false;

  constructor(rules: WarmingRules) {
    this.#rules = rules;
  }

  /** A CDS response has left. Its clusters need endpoints that arrive after it. */
  clustersSent(answer: Answer, endpoints: Subscription | undefined): void {
    if (endpoints === undefined) this.#noteEarly(answer);
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
    if (this.#early.length === 0 || !this.#rules.resentClustersNeedEndpoints) return undefined;
    return (name) => {
      this.#awaited ??= new Set(this.#early.flatMap((answer) => this.#awaitedBy(answer)));
      return this.#awaited.has(name);
    };
  }

  #noteEarly(answer: Answer): void {
    if (answer.changed.length + answer.resent.length === 0) return;
    this.#early = [...this.#early, answer];
    this.#awaited = undefined;
  }

  /** The endpoints that Envoy needs after this CDS response. */
  #awaitedBy({ changed, resent }: Answer): readonly string[] {
    const clusters = this.#rules.rejectedClustersNeedEndpoints ? [...changed, ...resent] : changed;
    return clusters.map((cluster) => cluster.warmedBy).filter((name) => name !== undefined);
  }
}
