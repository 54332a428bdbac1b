import { MeshError } from "../../lib/errors.ts";

const timeoutMs = 5_000;

/** Asks an address for JSON. Redirections are not followed: keys come from where the operator said. */
export async function fetchJson(url: string): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(url, { redirect: "error", signal: AbortSignal.timeout(timeoutMs) });
  } catch (cause) {
    throw new MeshError("unavailable", `${url} cannot be reached`, { cause });
  }
  if (!response.ok) throw new MeshError("unavailable", `${url} answered ${response.status}`);
  return await response.json();
}

/** The keys of an OIDC issuer, from where its configuration says they are. */
export async function fetchIssuerKeys(issuer: string): Promise<unknown> {
  const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const configuration = await fetchJson(url);
  const found = typeof configuration === "object" && configuration !== null ? configuration : {};
  if (!("issuer" in found) || found.issuer !== issuer) {
    throw new MeshError("peer-protocol", `${url} speaks for another issuer than ${issuer}`);
  }
  if (!("jwks_uri" in found) || typeof found.jwks_uri !== "string") {
    throw new MeshError("peer-protocol", `${url} does not say where the keys are`);
  }
  return await fetchJson(found.jwks_uri);
}
