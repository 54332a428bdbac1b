import type { ConfigId } from "../../../../config/config.ts";
import type { GatewayServer, ServerTls } from "../../../model/gateway/gateway.ts";
import type { PushContext } from "../../../model/push-context.ts";
import type { Protocol, Service } from "../../../model/service/service.ts";
import type { VirtualService } from "../../../model/traffic/virtual-service.ts";
import type { ChainMatch } from "../chain-match.ts";
import { matchAll } from "../chain-match.ts";
import type { ConnectionTarget } from "../connection-target.ts";

/** A filter chain of a gateway's listener before encoding: its match and its action. */
export interface GatewayChain {
  readonly match: ChainMatch;
  /** Matches the SNI. A single chain without an SNI still requires TLS. */
  readonly inspectsTls: boolean;
  /** Set if the chain terminates TLS. */
  readonly tls: ServerTls | undefined;
  readonly protocol: Protocol;
  readonly action: HttpChainAction | TcpChainAction;
  /** The source object of the chain. Once it is garbage, the memo of the chain is dropped. */
  readonly source: GatewayServer | Service | VirtualService;
  /** The object that the chain is for. It loses if there is a conflict. */
  readonly owner: ConfigId;
  /** Its source objects, beside the gateway. */
  readonly owners: readonly ConfigId[];
}

/** Requests are routed by a route configuration of this name. */
export interface HttpChainAction {
  readonly type: "http";
  readonly routes: string;
  /** "" for one by the listener's name. */
  readonly statPrefix: string;
}

/** TCP is proxied. */
interface TcpChainAction {
  readonly type: "tcp";
  readonly target: ConnectionTarget;
}

/** The part of the mesh that chains depend on. */
export interface GatewayContext {
  /** Of the proxies. */
  readonly namespace: string;
  readonly push: PushContext;
}

/** By SNI; `*` also accepts connections without an SNI. */
export function serverMatch(hostnames: readonly string[]): ChainMatch {
  return hostnames.includes("*") ? matchAll : { ...matchAll, serverNames: [...new Set(hostnames)] };
}
