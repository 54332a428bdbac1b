import type { JsonValue } from "@bufbuild/protobuf";
import { isMapping } from "../../lib/is-mapping.ts";

/** Filters that admit or refuse requests, by parts of their names and types, and the check of client certificates. */
const guarding =
  /rbac|jwt_?authn|ext_?authz|rate_?limit|oauth2|basic_?auth|api_?key_?auth|csrf|require_?client_?certificate/i;

/**
 * Whether requests must not pass without the object: it is known to refuse requests, or it is a Wasm module that fails
 * closed. A script is neither: nobody can tell what it does.
 */
export function guards(kind: string, spec: JsonValue): boolean {
  if (kind === "EnvoyFilter") return guarding.test(JSON.stringify(spec));
  if ((kind !== "WasmPlugin" && kind !== "TrafficExtension") || !isMapping(spec)) return false;
  const wasm = kind === "WasmPlugin" ? spec : spec["wasm"];
  const failsClosed = isMapping(wasm) && wasm["failStrategy"] !== "FAIL_OPEN";
  return failsClosed || spec["phase"] === "AUTHN" || spec["phase"] === "AUTHZ";
}
