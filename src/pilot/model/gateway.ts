import type { ConfigId } from "../../config/config.ts";
import type { Labels } from "./labels.ts";
import type { Protocol } from "./service.ts";

/** Ports that the proxies with these labels listen on. */
export interface Gateway {
  readonly name: string;
  readonly namespace: string;
  readonly createdAt: number;
  readonly owner: ConfigId;
  /** Empty selects every router. */
  readonly selector: Labels;
  readonly servers: readonly Server[];
}

export interface Server {
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

export interface ServerTls {
  readonly httpsRedirect: boolean;
  readonly passthrough: boolean;
}

/** `namespace/name`: how virtual services refer to a gateway. */
export function gatewayRef(gateway: { readonly namespace: string; readonly name: string }): string {
  return `${gateway.namespace}/${gateway.name}`;
}

/** The hosts of a server that virtual services of a namespace may claim. */
export function hostsFor(namespace: string, server: Server): readonly string[] {
  return server.hosts
    .filter((host) => host.namespace === "*" || host.namespace === namespace)
    .map((host) => host.hostname);
}
