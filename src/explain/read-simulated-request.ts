import { isIpAddress } from "../config/grammar/address.ts";
import { MeshError } from "../lib/errors.ts";
import type { SimulatedRequest } from "./simulated-request.ts";

const ports: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };

/**
 * A request as one would write it for curl: `GET http://host:port/path`, with its headers as `name: value`. `tcp:` is a
 * connection without HTTP. Throws `bad-option`.
 */
export function readSimulatedRequest(method: string, url: string, headerTexts: readonly string[]): SimulatedRequest {
  const { protocol, hostname, port: portText } = parseUrl(url);
  const port = portText === "" ? ports[protocol] : Number(portText);
  if (port === undefined) throw new MeshError("bad-option", `${url}: the port is missing, write tcp://HOST:PORT`);
  const { host, ...headers } = readHeaders(headerTexts);
  const implied = port === ports[protocol] ? hostname : `${hostname}:${port}`;
  const bare = hostname.replace(/^\[(?<address>.*)\]$/u, "$<address>");
  return {
    port,
    host: host ?? implied,
    path: pathIn(url),
    method,
    headers,
    protocol: protocol === "https:" ? "tls" : protocol === "tcp:" ? "tcp" : "http",
    ...(protocol === "https:" && { sni: bare }),
    ...(isIpAddress(bare) && { address: bare }),
  };
}

/** Facts about the sender of a request, which policies look at. Empty for unknown. */
export interface RequestSender {
  /** The IP address from which the request arrives. */
  readonly address: string;
  /** The identity in the certificate of the sender: `spiffe://…/ns/NAMESPACE/sa/ACCOUNT`. */
  readonly principal: string;
  /** Whether the request arrives at the sidecar from the network. Then an identity means mTLS of the mesh. */
  readonly inbound: boolean;
}

/** The request as this sender sends it. */
export function sentBy(request: SimulatedRequest, { address, principal, inbound }: RequestSender): SimulatedRequest {
  return {
    ...request,
    ...(address !== "" && { sourceAddress: address }),
    ...(principal !== "" && { principal }),
    ...(principal !== "" && inbound && overMeshTls(request)),
  };
}

/** Sidecars recognise each other by their ALPN protocols. */
function overMeshTls({ protocol }: SimulatedRequest): Partial<SimulatedRequest> {
  const alpn = protocol === "tcp" ? ["istio"] : ["istio-http/1.1", "istio", "http/1.1"];
  return { protocol: "tls", clientCertificate: true, alpn };
}

/** As it is written: `URL` would resolve `..`, and the proxy is to do that. */
function pathIn(url: string): string {
  const { path = "" } = /^[a-z]+:\/\/[^/?#]*(?<path>[^#]*)/iu.exec(url)?.groups ?? {};
  return path.startsWith("/") ? path : `/${path}`;
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^(?:http|https|tcp):$/u.test(url.protocol) && url.hostname !== "") return url;
  throw new MeshError("bad-option", `expected a URL such as http://reviews:9080/path, found ${JSON.stringify(text)}`);
}

function readHeaders(texts: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    texts.map((text) => {
      const [, name, value] = /^(?<name>[^:\s]+):\s*(?<value>.*)$/u.exec(text) ?? [];
      if (name !== undefined && value !== undefined) return [name.toLowerCase(), value.trimEnd()];
      throw new MeshError("bad-option", `--header: expected NAME:VALUE, found ${JSON.stringify(text)}`);
    }),
  );
}
