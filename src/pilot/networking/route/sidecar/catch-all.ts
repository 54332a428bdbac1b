import { RouteSchema, VirtualHostSchema } from "#gen/envoy/config/route/v3/route_components_pb.js";
import { memoize } from "../../../../lib/memo.ts";
import type { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import { zeroDuration } from "../../../model/duration.ts";
import type { RouteSettings } from "../../../model/proxy/proxy-settings.ts";
import type { OutboundPolicy } from "../../../model/scope/sidecar.ts";
import { catchAllClusterOf } from "../../cluster/catch-all-clusters.ts";
import { routeMatchOf } from "../route-match.ts";

/**
 * The encoded virtual host for requests to unknown hosts.
 * @param redirected whether requests keep their original destination address; else the proxy cannot pass them through
 */
export function catchAllHost(
  policy: OutboundPolicy,
  redirected: boolean,
  { countsAttempts }: RouteSettings,
  writer: ProtoWriter,
): Uint8Array {
  return encodeHost([policy, writer], { redirected, countsAttempts });
}

const encodeHost = memoize(
  (
    [policy, writer]: readonly [OutboundPolicy, ProtoWriter],
    { redirected, countsAttempts }: { readonly redirected: boolean; readonly countsAttempts: boolean },
  ): Uint8Array => {
    const cluster = catchAllClusterOf(policy, redirected);
    const name = cluster === undefined ? "block_all" : "allow_any";
    const action =
      cluster === undefined
        ? ({ case: "directResponse", value: { status: 502 } } as const)
        : ({ case: "route", value: passTo(cluster) } as const);
    return writer.encode(VirtualHostSchema, {
      name,
      domains: ["*"],
      routes: [writer.encode(RouteSchema, { name, match: routeMatchOf(undefined), action })],
      includeRequestAttemptCount: countsAttempts,
    });
  },
);

function passTo(cluster: string) {
  return {
    clusterSpecifier: { case: "cluster", value: cluster } as const,
    timeout: zeroDuration,
    maxGrpcTimeout: zeroDuration,
  };
}
