import type { Explanation, RequestOutcome } from "../../explain/explanation.ts";

/** Where a request goes, in the form in which outcomes are compared and printed. */
export interface PlannedOutcome {
  readonly type: RequestOutcome["type"];
  /** `v2 of reviews.shop.svc.cluster.local:9080 20 %, …`, `403`, `301 to https://…` */
  readonly text: string;
  /** Of a forwarded request, by cluster. */
  readonly targets: readonly { readonly cluster: string; readonly share: number; readonly problem?: string }[];
  readonly status?: number;
}

export function plannedOutcome({ outcome }: Explanation): PlannedOutcome {
  switch (outcome.type) {
    case "forwarded": {
      const targets = outcome.targets
        .filter(({ share }) => share > 0)
        .toSorted((a, b) => b.share - a.share || (a.cluster < b.cluster ? -1 : 1));
      return { type: outcome.type, text: targets.map(targetText).join(", "), targets };
    }
    case "response":
      return { type: outcome.type, text: `the answer ${outcome.status}`, targets: [], status: outcome.status };
    case "redirect": {
      const text = `a redirect (${outcome.status}) to ${outcome.location}`;
      return { type: outcome.type, text, targets: [], status: outcome.status };
    }
    case "refused": {
      const { status, reason } = outcome;
      const how = status === undefined ? "a closed connection" : `the answer ${status}`;
      return { type: outcome.type, text: `${how}: ${reason}`, targets: [], ...(status !== undefined && { status }) };
    }
    case "accepted":
    case "unknown":
    default:
      return { type: outcome.type, text: outcome.reason, targets: [] };
  }
}

function targetText({ cluster, share, problem }: PlannedOutcome["targets"][number]): string {
  const percent = `${Number((share * 100).toFixed(2))} %`;
  return `${clusterText(cluster)} ${percent}${problem === undefined ? "" : ` (it ${problem})`}`;
}

/** `outbound|9080|v2|reviews` is what operators call v2 of reviews:9080. */
function clusterText(cluster: string): string {
  const [direction, port, subset, host] = cluster.split("|");
  if (host === undefined || direction !== "outbound") return cluster;
  return subset === "" ? `${host}:${port}` : `${subset} of ${host}:${port}`;
}
