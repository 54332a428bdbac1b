/** The reason of a denial. The names are Galley's: they are labels of `galley_validation_failed`. */
export type DenialReason = "yaml_decode_error" | "unknown_type" | "crd_conversion_error" | "invalid_resource";

/** The decision on a request. `unchecked` is allowed too, because the request does not concern us. */
export type Verdict = Readonly<{ warnings: readonly string[] }> &
  (
    | { readonly type: "allowed" | "unchecked" }
    | { readonly type: "denied"; readonly reason: DenialReason; readonly message: string }
  );

export function denied(reason: DenialReason, message: string, warnings: readonly string[] = []): Verdict {
  return { type: "denied", reason, message, warnings };
}
