import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { isForwarded } from "../transport/credentials/forwarded.ts";

const localNames = /^(?:localhost|[^:]+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

/** Whether only this machine can reach the address. */
export function isLoopback(host: string): boolean {
  const ip = host.replace(/^::ffff:/i, "");
  return localNames.test(ip.includes(":") ? `[${ip}]` : ip);
}

/**
 * Whether a request comes from this machine: over loopback at both ends, to a local name, and not forwarded. A local
 * proxy also connects over loopback, and so does a page with DNS rebinding.
 */
export function isLocal({ headers, socket }: Pick<IncomingMessage, "headers" | "socket">): boolean {
  const { remoteAddress = "", localAddress = "" } = socket;
  if (!isLoopback(remoteAddress) || !isLoopback(localAddress)) return false;
  return localNames.test(headers.host ?? "") && !isForwarded(headers);
}

/**
 * Why a request is refused, or undefined. A browser sends requests of any site to any server that its user can reach.
 * So a page of another site is not trusted: a cross-site request, or a name that was pointed here (DNS rebinding).
 * Following a link is no cross-site request.
 */
export function refusalOf(headers: IncomingHttpHeaders, bound: "loopback" | "network"): string | undefined {
  const { host = "", origin } = headers;
  if (bound === "loopback" && !localNames.test(host)) return "this address accepts only requests to localhost";
  if (origin !== undefined && origin !== `http://${host}`) return "cross-site requests are refused";
  const site = headers["sec-fetch-site"] ?? "none";
  const ownSite = site === "none" || site === "same-origin";
  return ownSite || headers["sec-fetch-dest"] === "document" ? undefined : "cross-site requests are refused";
}
