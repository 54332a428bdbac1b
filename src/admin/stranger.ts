import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { isForwarded } from "../transport/credentials/forwarded.ts";

const localNames = /^(?:localhost|[^:]+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

/** Whether an address is one that only this machine can reach. */
export function isLoopback(host: string): boolean {
  const ip = host.replace(/^::ffff:/i, "");
  return localNames.test(ip.includes(":") ? `[${ip}]` : ip);
}

/**
 * Whether a request was made on this machine, for itself: over loopback at both ends, to a local name, and not in the
 * name of somebody else. A proxy beside us also comes over loopback, and so does a page whose name was made to lead here.
 */
export function isLocal({ headers, socket }: Pick<IncomingMessage, "headers" | "socket">): boolean {
  const { remoteAddress = "", localAddress = "" } = socket;
  if (!isLoopback(remoteAddress) || !isLoopback(localAddress)) return false;
  return localNames.test(headers.host ?? "") && !isForwarded(headers);
}

/**
 * Why a request is refused; undefined when it is not. A browser carries what any site tells it to wherever its user can
 * go, so a page of another site is a stranger: one that asks in its own name, or one whose name was made to lead here
 * (DNS rebinding). Following a link is no request of the site that has the link.
 */
export function refusalOf(headers: IncomingHttpHeaders, bound: "loopback" | "network"): string | undefined {
  const { host = "", origin } = headers;
  if (bound === "loopback" && !localNames.test(host)) return "this address answers to localhost only";
  if (origin !== undefined && origin !== `http://${host}`) return "other sites have no business here";
  const site = headers["sec-fetch-site"] ?? "none";
  const ownSite = site === "none" || site === "same-origin";
  return ownSite || headers["sec-fetch-dest"] === "document" ? undefined : "other sites have no business here";
}
