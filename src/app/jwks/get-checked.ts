import { once } from "node:events";
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { getCACertificates } from "node:tls";
import type { CheckedTarget } from "./checked-target.ts";

export interface GetOptions {
  readonly signal: AbortSignal;
  /** CA certificates (PEM) beside those of the system. */
  readonly authorities: readonly string[];
}

/**
 * Sends one GET to the checked address, and returns the response before its body. Uses no proxy, keeps no connection, and
 * asks for an uncompressed body.
 */
export async function getChecked(target: CheckedTarget, { signal, authorities }: GetOptions): Promise<IncomingMessage> {
  const { url, address, serverName } = target;
  const send = url.protocol === "https:" ? requestHttps : requestHttp;
  const request = send({
    host: address,
    port: url.port === "" ? undefined : Number(url.port),
    path: `${url.pathname}${url.search}`,
    headers: { host: url.host, accept: "application/json", "accept-encoding": "identity", "user-agent": "binnacle" },
    agent: false,
    signal,
    rejectUnauthorized: true,
    ...(serverName !== undefined && { servername: serverName }),
    ...(authorities.length > 0 && { ca: [...getCACertificates("default"), ...authorities] }),
  });
  // `once` below reports the first error. A later one, such as the end of the time, shows in the body.
  request.on("error", () => undefined);
  request.end();
  // Node emits a response as its only argument.
  const [response] = (await once(request, "response", { signal })) as [IncomingMessage];
  return response;
}
