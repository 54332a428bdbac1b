import type { Headers } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import { fieldPath } from "../field-path.ts";
import { errorUnless } from "../finding.ts";
import type { Finding } from "../kind.ts";

// Envoy's own names for the parts of a request line (`:authority`) are allowed.
const token = /^:?[\w!#$%&'*+.^`|~-]+$/u;

export function headerName(name: string, path: string): readonly Finding[] {
  return errorUnless(token.test(name), path, { code: "bad-header", message: `"${name}" cannot name a header` });
}

/** Changes to request and response headers. */
export function headerChanges(headers: Headers | undefined, path: string): readonly Finding[] {
  return (["request", "response"] as const).flatMap((side) => {
    const { set = {}, add = {}, remove = [] } = headers?.[side] ?? {};
    const at = fieldPath(path, side);
    return [
      ...Object.keys(set).flatMap((name) => headerName(name, fieldPath(at, "set", name))),
      ...Object.keys(add).flatMap((name) => headerName(name, fieldPath(at, "add", name))),
      ...remove.flatMap((name, index) => headerName(name, fieldPath(at, "remove", index))),
    ];
  });
}
