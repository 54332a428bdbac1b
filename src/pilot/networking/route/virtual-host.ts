import { VirtualHost_TlsRequirementType, VirtualHostSchema } from "#gen/envoy/config/route/v3/route_components_pb.js";
import { memoize } from "../../../lib/memo.ts";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { EncodedRoute } from "./build-routes.ts";

/** A virtual host before it is encoded. */
export interface VirtualHost {
  readonly name: string;
  readonly domains: readonly string[];
  /** The contributions of virtual services, in the order in which they apply. Equal lists are the same object. */
  readonly routes: readonly (readonly EncodedRoute[])[];
  readonly requireTls: boolean;
  /** Servers receive the attempt count. */
  readonly countsAttempts: boolean;
}

export function encodeVirtualHost(host: VirtualHost, writer: ProtoWriter): Uint8Array {
  const { name, domains, routes, requireTls, countsAttempts } = host;
  return encodeHost([writer, ...routes], { name, domains, requireTls, countsAttempts });
}

const encodeHost = memoize(
  (
    [writer, ...routes]: readonly [ProtoWriter, ...VirtualHost["routes"]],
    { name, domains, requireTls, countsAttempts }: Omit<VirtualHost, "routes">,
  ): Uint8Array =>
    writer.encode(VirtualHostSchema, {
      name,
      domains,
      routes: catchAllLast(routes.flat()).map(({ bytes }) => bytes),
      requireTls: requireTls ? VirtualHost_TlsRequirementType.ALL : VirtualHost_TlsRequirementType.NONE,
      includeRequestAttemptCount: countsAttempts,
    }),
);

/** Several virtual services may share a host: the catch-all of one must not hide routes of another. */
function catchAllLast(routes: readonly EncodedRoute[]): readonly EncodedRoute[] {
  return [...routes.filter(({ catchAll }) => !catchAll), ...routes.filter(({ catchAll }) => catchAll)];
}
