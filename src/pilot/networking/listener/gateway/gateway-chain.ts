import type { ConfigId } from "../../../../config/config.ts";
import type { Server, ServerTls } from "../../../model/gateway/gateway.ts";
import type { PushContext } from "../../../model/push-context.ts";
import type { Protocol, Service } from "../../../model/service/service.ts";
import type { VirtualService } from "../../../model/traffic/virtual-service.ts";
import type { ChainMatch } from "../chain-match.ts";
import { matchAll } from "../chain-match.ts";
import type { ConnectionTarget } from "../connection-target.ts";

/** A filter chain of a gateway's listener to be: which connections it takes, and what becomes of them. */
export interface GatewayChain {
  readonly match: ChainMatch;
  /** Looks at what TLS asks for. Where only one chain could be meant, it still has to be TLS. */
  readonly inspectsTls: boolean;
  /** Set where TLS ends here. */
  readonly tls: ServerTls | undefined;
  readonly protocol: Protocol;
  readonly action: HttpAction | TcpAction;
  /** What it was made of: once that is gone, nobody needs to remember the chain. */
  readonly source: Server | Service | VirtualService;
  /** The object that asks for it, and loses if it cannot be. */
  readonly owner: ConfigId;
  /** Those it was made of, beside the gateway. */
  readonly owners: readonly ConfigId[];
}

/** Requests are routed by a route configuration of this name. */
interface HttpAction {
  readonly type: "http";
  readonly routes: string;
  /** "" for one by the listener's name. */
  readonly statPrefix: string;
}

/** Bytes are passed on. */
interface TcpAction {
  readonly type: "tcp";
  readonly target: ConnectionTarget;
}

/** What of the mesh chains are made of. */
export interface GatewayContext {
  /** Of the proxies. */
  readonly namespace: string;
  readonly push: PushContext;
}

/** By the names that TLS may ask for; `*` also takes connections that ask for none. */
export function serverMatch(hostnames: readonly string[]): ChainMatch {
  return hostnames.includes("*") ? matchAll : { ...matchAll, serverNames: [...new Set(hostnames)] };
}
