import { RouteSchema, VirtualHostSchema } from "#gen/envoy/config/route/v3/route_components_pb.js";
import { Memo } from "../../../../lib/memo.ts";
import type { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import { zeroDuration } from "../../../model/duration.ts";
import type { RouteSettings } from "../../../model/proxy/proxy-settings.ts";
import type { OutboundPolicy } from "../../../model/scope/sidecar.ts";
import { catchAllClusterOf } from "../../cluster/catch-all-clusters.ts";
import { routeMatchOf } from "../route-match.ts";

const encoded = new Memo<Uint8Array>();

/**
 * The encoded virtual host that takes requests for hosts nobody knows.
 * @param redirected whether requests come with the address they were sent to; else there is nowhere to pass them on
 */
export function catchAllHost(
  policy: OutboundPolicy,
  redirected: boolean,
  { countsAttempts }: RouteSettings,
  writer: ProtoWriter,
): Uint8Array {
  return encoded.get([policy, writer], `${redirected} ${countsAttempts}`, () => {
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
  });
}

function passTo(cluster: string) {
  return {
    clusterSpecifier: { case: "cluster", value: cluster } as const,
    timeout: zeroDuration,
    maxGrpcTimeout: zeroDuration,
  };
}
