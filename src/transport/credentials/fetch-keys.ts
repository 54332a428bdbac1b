import { type Limits, limitsOf } from "../../lib/bounded/limit.ts";
import { bodyOf, readJson } from "../../lib/bounded/read-bounded.ts";
import { MeshError } from "../../lib/errors.ts";
import { issuerLimits } from "./issuer-limits.ts";

type OtherLimits = Partial<Limits<typeof issuerLimits>>;

/** Fetches JSON from a URL. Redirects are not followed, because keys must come from the configured place. */
export async function fetchJson(url: string, others: OtherLimits = {}): Promise<unknown> {
  const { answerBytes: maxBytes, answerValues: maxValues, exchangeMs } = limitsOf(issuerLimits, others);
  const signal = AbortSignal.timeout(exchangeMs);
  try {
    const response = await fetch(url, { redirect: "error", signal });
    if (response.ok) return await readJson(bodyOf(response), { what: `the answer of ${url}`, maxBytes, maxValues });
    await response.body?.cancel();
    throw new MeshError("unavailable", `${url} answered ${response.status}`);
  } catch (cause) {
    if (cause instanceof MeshError) throw cause;
    const problem = signal.aborted ? `has not answered within ${exchangeMs} ms` : "cannot be reached";
    throw new MeshError("unavailable", `${url} ${problem}`, { cause });
  }
}

/** The keys of an OIDC issuer, from the URL in its configuration. */
export async function fetchIssuerKeys(issuer: string, others: OtherLimits = {}): Promise<unknown> {
  const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const configuration = await fetchJson(url, others);
  const found = typeof configuration === "object" && configuration !== null ? configuration : {};
  if (!("issuer" in found) || found.issuer !== issuer) {
    throw new MeshError("peer-protocol", `${url} speaks for another issuer than ${issuer}`);
  }
  if (!("jwks_uri" in found) || typeof found.jwks_uri !== "string") {
    throw new MeshError("peer-protocol", `${url} does not say where the keys are`);
  }
  return await fetchJson(found.jwks_uri, others);
}
