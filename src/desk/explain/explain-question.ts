import { isIpAddress } from "../../config/grammar/address.ts";
import { readSimulatedRequest, sentBy } from "../../explain/read-simulated-request.ts";
import type { SimulatedRequest } from "../../explain/simulated-request.ts";
import { MeshError } from "../../lib/errors.ts";
import { isMapping } from "../../lib/is-mapping.ts";
import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import type { ExplainRequest } from "../api/model/explain.ts";

/** Largest text of edited objects. The body of a request has its own, larger limit. */
const maxWhatIfBytes = 128 * 1024;
const maxHeaders = 100;

/** Checks the body of a question. Throws `bad-option` with the name of the field. */
export function readQuestion(body: unknown): ExplainRequest {
  if (!isMapping(body)) throw new MeshError("bad-option", "expected an object with node, from, method and url");
  const { from = "client", headers, extAuthz } = body;
  if (from !== "client" && from !== "network") throw wrong("from", '"client" or "network"', from);
  if (extAuthz !== undefined && extAuthz !== "allow" && extAuthz !== "deny") {
    throw wrong("extAuthz", '"allow" or "deny"', extAuthz);
  }
  const whatIf = textAt(body, "whatIf");
  if (Buffer.byteLength(whatIf) > maxWhatIfBytes) {
    throw new MeshError("bad-option", `whatIf: the text has more than ${maxWhatIfBytes} bytes`);
  }
  return {
    node: textAt(body, "node"),
    from,
    method: textAt(body, "method") || "GET",
    url: textAt(body, "url"),
    headers: headers === undefined ? {} : headersIn(headers),
    source: addressIn(textAt(body, "source")),
    identity: textAt(body, "identity"),
    ...(extAuthz !== undefined && { extAuthz }),
    ...(whatIf.trim() !== "" && { whatIf }),
  };
}

/** The request as it reaches the proxy. Throws `bad-option`. */
export function requestAt({ type }: Proxy, question: ExplainRequest): SimulatedRequest {
  const { from, method, url, headers = {}, source = "", identity = "" } = question;
  const texts = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const inbound = type !== "router" && from === "network";
  const sender = { address: source, principal: identity, inbound };
  const request = sentBy(readSimulatedRequest(method, url, texts), sender);
  return { ...request, direction: type === "router" ? "gateway" : inbound ? "inbound" : "outbound" };
}

function textAt(body: Readonly<Record<string, unknown>>, name: string): string {
  const value = body[name] ?? "";
  if (typeof value !== "string") throw wrong(name, "a text", value);
  return value;
}

function headersIn(value: unknown): Readonly<Record<string, string>> {
  const entries = isMapping(value) ? Object.entries(value) : [];
  if (!isMapping(value) || entries.length > maxHeaders) throw wrong("headers", `at most ${maxHeaders} texts`, value);
  return Object.fromEntries(
    entries.map(([name, text]) => {
      if (typeof text !== "string") throw wrong(`headers.${name}`, "a text", text);
      if (!/^[^:\s]+$/u.test(name)) throw wrong("headers", "names without blanks and colons", name);
      return [name, text.replaceAll(/[\r\n]+/gu, " ")];
    }),
  );
}

function addressIn(text: string): string {
  if (text !== "" && !isIpAddress(text)) throw wrong("source", "an IP address", text);
  return text;
}

function wrong(field: string, expected: string, value: unknown): MeshError {
  return new MeshError("bad-option", `${field}: expected ${expected}, found ${JSON.stringify(value)?.slice(0, 100)}`);
}
