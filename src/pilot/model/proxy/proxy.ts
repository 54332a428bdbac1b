import type { SpiffeId } from "../../../lib/spiffe-id.ts";
import type { KeyAccess } from "../credential/key-access.ts";
import type { Certificates } from "./certificates.ts";
import type { ProxySettings } from "./proxy-settings.ts";

/**
 * The client of a stream, as its first message describes it. Generated resources depend on no other fact about the
 * client.
 */
export interface Proxy {
  /** The whole node id: `type~ip~name~dnsDomain`. */
  readonly nodeId: string;
  readonly type: "sidecar" | "router";
  /** The third part of the node id, usually `pod.namespace`. */
  readonly id: string;
  readonly dnsDomain: string;
  readonly ipAddresses: readonly string[];
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly clusterId: string;
  readonly network: string;
  readonly meshId: string;
  readonly serviceAccount: string;
  /**
   * The authenticated identity; absent where the server requires no authentication. Secrets are only for authenticated
   * proxies.
   */
  readonly identity?: SpiffeId;
  /** Whether private keys may be sent to it. Absent where the stream is not known, as in `translate`: then not. */
  readonly keyAccess?: KeyAccess;
  readonly workloadName: string;
  /** The `cluster` of the node: the name of the workload in its traces. */
  readonly serviceCluster: string;
  readonly locality: { readonly region: string; readonly zone: string; readonly subzone: string };
  /** How traffic of the workload reaches the proxy: redirected by the kernel, or sent to ports that the proxy binds. */
  readonly interception: "redirect" | "tproxy" | "none";
  readonly certificates: Certificates;
  /** Undefined when the settings of the mesh apply. */
  readonly settings: ProxySettings | undefined;
  /** `GENERATOR`: "grpc" for proxyless clients, "" for Envoys. */
  readonly generator: string;
  /** The version of the Envoy, such as `1.40.0`; empty when it did not say. Only its verdicts depend on it. */
  readonly build: string;
  /** Type URLs of the extensions the Envoy was built with; empty when it did not say. */
  readonly extensions: ReadonlySet<string>;
  /** Scalar values and labels of the node metadata, for rare needs of generators and for debug pages. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** A gRPC client or server that is its own proxy. */
export function isProxyless({ generator }: Pick<Proxy, "generator">): boolean {
  return generator === "grpc";
}

/** An Envoy beside a workload. */
export function isSidecar(proxy: Pick<Proxy, "type" | "generator">): boolean {
  return proxy.type === "sidecar" && !isProxyless(proxy);
}
