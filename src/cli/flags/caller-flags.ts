import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { verifiesToken } from "../../admin/explain/verifies-token.ts";
import { isIpAddress } from "../../config/grammar/address.ts";
import type { GuardContext } from "../../explain/policy/guard.ts";
import { sentBy } from "../../explain/read-simulated-request.ts";
import type { SimulatedRequest } from "../../explain/simulated-request.ts";
import { errorFrom, MeshError } from "../../lib/errors.ts";
import type { DocumentedFlag, Terminal } from "../command.ts";
import { valueFlag } from "./flag.ts";
import type { ReadFlags } from "./read-flags.ts";

/** Facts about the caller of a request, which policies look at. */
export const callerFlags: readonly DocumentedFlag[] = [
  valueFlag(
    "principal",
    "URI",
    "Identity in the certificate of the caller (spiffe://…/ns/NAMESPACE/sa/ACCOUNT): of the client with --inbound and at routers, else of the workload itself. With --inbound the connection is mTLS of the mesh.",
  ),
  valueFlag(
    "client-certificate",
    "FILE",
    "File with the certificate that the client of TLS presents, in PEM. Its URI is the principal unless --principal has another. Whether the proxy trusts it is decided by the authorities that the control plane sends, or that files hold.",
  ),
  valueFlag("source-ip", "IP", "IP address from which the request arrives."),
  valueFlag("token", "FILE", "File with a token (JWT), or - for stdin, which is sent as Authorization: Bearer."),
  valueFlag("at", "TIME", "Time at which tokens are judged, such as 2026-01-31T12:00:00Z. Default: now."),
  valueFlag(
    "ext-authz",
    "allow|deny",
    "Answer of external authorizers. Without it, the outcome is unknown where one is asked.",
  ),
];

/** The request as this caller sends it. Throws `bad-option`. */
export async function withCaller(
  request: SimulatedRequest,
  given: ReadFlags,
  terminal: Terminal,
): Promise<SimulatedRequest> {
  const sourceAddress = given.value("source-ip");
  if (sourceAddress !== "" && !isIpAddress(sourceAddress)) {
    throw new MeshError("bad-option", `--source-ip: expected an IP address, found ${JSON.stringify(sourceAddress)}`);
  }
  const token = given.has("token") ? await readToken(given, terminal) : undefined;
  const file = given.value("client-certificate");
  const principal = given.value("principal") || (file === "" ? "" : await uriIn(file));
  const certificate = file === "" ? {} : { clientCertificate: true, tlsFiles: { certificate: file } };
  const sender = { address: sourceAddress, principal, inbound: given.has("inbound") };
  return {
    ...sentBy({ ...request, ...certificate }, sender),
    ...(token !== undefined && { headers: { ...request.headers, authorization: `Bearer ${token}` } }),
  };
}

/** The URI in a certificate, which is its identity; empty if it has none. Throws `bad-option`. */
async function uriIn(file: string): Promise<string> {
  try {
    const { subjectAltName = "" } = new X509Certificate(await readFile(file));
    return /(?:^|, )URI:(?<uri>[^,]+)/u.exec(subjectAltName)?.groups?.["uri"] ?? "";
  } catch (thrown) {
    throw new MeshError("bad-option", `--client-certificate: ${file}: ${errorFrom(thrown).message}`);
  }
}

/** The facts beside the request that filters depend on. Throws `bad-option`. */
export function guardContextOf(given: ReadFlags): GuardContext {
  const at = given.value("at");
  const judged = at === "" ? Date.now() : Date.parse(at);
  if (Number.isNaN(judged)) throw new MeshError("bad-option", `--at: expected a time, found ${JSON.stringify(at)}`);
  const extAuthz = given.has("ext-authz") ? given.choice("ext-authz", ["allow", "deny"] as const) : undefined;
  return { nowSeconds: judged / 1000, verifies: verifiesToken, extAuthz };
}

async function readToken(given: ReadFlags, terminal: Terminal): Promise<string> {
  const file = given.value("token");
  if (file === "-" && given.positionals.includes("-")) {
    throw new MeshError("bad-option", "--token: stdin is the mesh already");
  }
  try {
    const text = file === "-" ? await terminal.readInput() : await readFile(file);
    return text.toString("utf8").trim();
  } catch (thrown) {
    throw MeshError.from(thrown);
  }
}
