/** Why an object is refused, in Galley's words: they are labels of `galley_validation_failed`. */
export type DenialReason = "yaml_decode_error" | "unknown_type" | "crd_conversion_error" | "invalid_resource";

/** What becomes of a request. `unchecked` is allowed too: what it does is none of our business. */
export type Verdict = Readonly<{ warnings: readonly string[] }> &
  (
    | { readonly type: "allowed" | "unchecked" }
    | { readonly type: "denied"; readonly reason: DenialReason; readonly message: string }
  );

export function denied(reason: DenialReason, message: string, warnings: readonly string[] = []): Verdict {
  return { type: "denied", reason, message, warnings };
}
