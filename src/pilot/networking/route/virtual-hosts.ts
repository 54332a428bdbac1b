import { VirtualHost_TlsRequirementType, VirtualHostSchema } from "#gen/envoy/config/route/v3/route_components_pb.js";
import { compareHostnames } from "../../../config/hostname.ts";
import { compareTexts } from "../../../lib/compare.ts";
import { Memo } from "../../../lib/memo.ts";
import type { ProtoWriter } from "../../../lib/proto-writer.ts";
import type { EncodedRoute } from "./build-routes.ts";

/** What one host is to answer, before hosts that answer alike are put together. */
export interface HostDraft {
  readonly hostname: string;
  readonly port: number;
  readonly requireTls: boolean;
  /** In the order in which they apply. */
  readonly routes: readonly RouteList[];
}

/** The routes one virtual service contributes; lists with equal ids are the same. */
export interface RouteList {
  readonly id: string;
  readonly routes: readonly EncodedRoute[];
}

const encoded = new Memo<Uint8Array>();

/** The encoded virtual hosts, sorted by name. Hosts with the same routes share one, named after the most specific. */
export function virtualHostsOf(drafts: Iterable<HostDraft>, writer: ProtoWriter): readonly Uint8Array[] {
  return collapse([...drafts])
    .toSorted((a, b) => compareTexts(a.name, b.name))
    .map((host) => encodeHost(host, writer));
}

interface CollapsedHost {
  readonly name: string;
  readonly first: HostDraft;
  readonly domains: string[];
}

function collapse(drafts: readonly HostDraft[]): readonly CollapsedHost[] {
  const collapsed: CollapsedHost[] = [];
  const byRoutes = new Map<string, CollapsedHost>();
  for (const draft of drafts.toSorted((a, b) => compareHostnames(a.hostname, b.hostname))) {
    const key = draft.routes.map(({ id }) => id).join("\n");
    const alike = byRoutes.get(key);
    if (alike?.first.requireTls === draft.requireTls) {
      alike.domains.push(draft.hostname);
      continue;
    }
    const host = { name: virtualHostName(draft.hostname, draft.port), first: draft, domains: [draft.hostname] };
    collapsed.push(host);
    byRoutes.set(key, host);
  }
  return collapsed;
}

function virtualHostName(hostname: string, port: number): string {
  return hostname.includes(":") ? `[${hostname}]:${port}` : `${hostname}:${port}`;
}

function encodeHost({ name, first, domains }: CollapsedHost, writer: ProtoWriter): Uint8Array {
  const lists = first.routes.map(({ routes }) => routes);
  const id = JSON.stringify([name, first.requireTls, domains]);
  return encoded.get([writer, ...lists], id, () =>
    writer.encode(VirtualHostSchema, {
      name,
      domains,
      routes: catchAllLast(lists.flat()).map(({ bytes }) => bytes),
      requireTls: first.requireTls ? VirtualHost_TlsRequirementType.ALL : VirtualHost_TlsRequirementType.NONE,
      includeRequestAttemptCount: true,
    }),
  );
}

/** Several virtual services may share a host: nobody's catch-all may hide another's routes. */
function catchAllLast(routes: readonly EncodedRoute[]): readonly EncodedRoute[] {
  return [...routes.filter(({ catchAll }) => !catchAll), ...routes.filter(({ catchAll }) => catchAll)];
}
