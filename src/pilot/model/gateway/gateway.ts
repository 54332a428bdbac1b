import type { ConfigId, Labels } from "../../../config/config.ts";
import { isHttp, type Protocol } from "../service/service.ts";

/** Ports that the proxies with these labels listen on. */
export interface Gateway {
  readonly name: string;
  readonly namespace: string;
  readonly createdAt: number;
  readonly owner: ConfigId;
  /** Empty selects every router. */
  readonly selector: Labels;
  /** The only namespace whose routers the gateway selects; absent for routers of every namespace. */
  readonly selectsIn?: string;
  readonly servers: readonly GatewayServer[];
}

/** A port that a gateway opens, and the hosts that it serves there. */
export interface GatewayServer {
  /** "" for none; names the statistics of an HTTPS server. */
  readonly name: string;
  readonly port: number;
  readonly portName: string;
  readonly protocol: Protocol;
  /** The address to listen on; "" for all. */
  readonly bind: string;
  readonly hosts: readonly ServerHost[];
  readonly tls: ServerTls | undefined;
}

/** A host name a server accepts, from virtual services of one namespace or (`*`) of any. */
export interface ServerHost {
  readonly namespace: string;
  readonly hostname: string;
}

/** How a server handles TLS. For plain HTTP only `httpsRedirect` has an effect. */
export interface ServerTls {
  readonly httpsRedirect: boolean;
  readonly mode: ServerTlsMode;
  /** Names of secrets with certificates; they take precedence over files. */
  readonly credentialNames: readonly string[];
  /**
   * Name of the secret with the CA certificates for client certificates; "" for the secret beside the first credential
   * name.
   */
  readonly caCredentialName: string;
  /** Pairs of files on the proxy's disk. */
  readonly certificates: readonly ServerCertificate[];
  /** Files; "" for none. */
  readonly caCertificates: string;
  readonly caCrl: string;
  /** Names of which the client certificate must have one; an empty list accepts every name. */
  readonly subjectAltNames: readonly string[];
  readonly verifySpki: readonly string[];
  readonly verifyHash: readonly string[];
  /** Accepts any client certificate without verification. */
  readonly insecureSkipVerify: boolean;
  readonly minVersion: TlsVersion;
  readonly maxVersion: TlsVersion;
  readonly cipherSuites: readonly string[];
  readonly ecdhCurves: readonly string[];
}

/** The first two modes pass TLS through and route by SNI; the others terminate TLS. */
export type ServerTlsMode =
  | "passthrough"
  | "auto-passthrough"
  | "simple"
  | "mutual"
  | "optional-mutual"
  | "istio-mutual";

/** `auto` uses Envoy's default. */
export type TlsVersion = "auto" | "1.0" | "1.1" | "1.2" | "1.3";

/** A pair of files on the proxy's disk. */
export interface ServerCertificate {
  readonly certificateChain: string;
  readonly privateKey: string;
}

/** How the proxy reads connections to a server. */
export type ServerClass =
  /** Plain HTTP: all servers of a port share a route configuration. */
  | "http"
  /** HTTP inside TLS that the gateway terminates: each server has its own route configuration. */
  | "https"
  /** Raw TCP, either plain or inside TLS that the gateway terminates. */
  | "tcp"
  /** TLS passthrough. */
  | "tls";

export function serverClass({ protocol, tls }: GatewayServer): ServerClass {
  if (isHttp(protocol)) return "http";
  if (tls === undefined) return "tcp";
  if (tls.mode === "passthrough" || tls.mode === "auto-passthrough") return "tls";
  return protocol === "HTTPS" ? "https" : "tcp";
}

/** `namespace/name`: how virtual services refer to a gateway. */
export function gatewayRef(gateway: { readonly namespace: string; readonly name: string }): string {
  return `${gateway.namespace}/${gateway.name}`;
}

/** The hosts of a server that virtual services of a namespace may claim. */
export function hostsFor(namespace: string, server: GatewayServer): readonly string[] {
  return server.hosts
    .filter((host) => host.namespace === "*" || host.namespace === namespace)
    .map((host) => host.hostname);
}
