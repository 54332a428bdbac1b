import { compareTexts } from "../../../lib/compare.ts";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import { kindNameOf } from "../../model/config-id.ts";
import { isProxyless, type Proxy } from "../../model/proxy/proxy.ts";
import type { PushContext } from "../../model/push-context.ts";
import type { Resource } from "../../model/resource.ts";
import { buildProxyConfig } from "../../networking/trust/build-proxy-config.ts";
import { buildMeshRoots, rootsName } from "../../networking/trust/build-trust-bundle.ts";
import { only, type PartFamily } from "../generator.ts";

/** Istio's own type: no Envoy requests it. */
export const proxyConfigType = "type.googleapis.com/istio.mesh.v1alpha1.ProxyConfig";

/**
 * PCDS: the roots of the mesh, for the agent beside a proxy. All agents share one part. Without roots the agent gets an
 * empty list: it ignores a response without a resource, and would keep removed roots.
 */
export function trustBundles(writer: ProtoWriter): PartFamily {
  return trustFamily("trust bundle", isWithAgent, (pems) => [buildProxyConfig(pems, writer)]);
}

/** The roots of the mesh by SDS. They are public: every proxy may have them. */
export function meshRootSecrets(writer: ProtoWriter): PartFamily {
  return trustFamily("mesh roots", isAskedByName, (pems) => (pems.length === 0 ? [] : [buildMeshRoots(pems, writer)]));
}

type Wanted = (proxy: Proxy, asked: Parameters<PartFamily["parts"]>[2]) => boolean;

type Build = (pems: readonly string[]) => readonly Resource[];

function trustFamily(name: string, isWanted: Wanted, build: Build): PartFamily {
  return {
    name,
    parts: (proxy, _, asked) => (isWanted(proxy, asked) ? [{}] : []),
    concerns: only("TrustAnchor"),
    dependencies: () => (changed) => kindNameOf(changed) === "TrustAnchor",
    generate: ({ push }) => ({ covers: "all", resources: build(anchorsIn(push)) }),
  };
}

const isAskedByName: Wanted = (_, asked) => asked !== "all" && asked.has(rootsName);

function isWithAgent(proxy: Proxy): boolean {
  return !isProxyless(proxy);
}

function anchorsIn({ trustAnchors }: PushContext): readonly string[] {
  return Array.from(trustAnchors.values(), ({ pem }) => pem).toSorted(compareTexts);
}
