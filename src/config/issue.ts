import type { Place } from "./config.ts";

/** Something to tell the author of a configuration. Errors keep an object (or document) from being applied. */
export interface Issue {
  readonly severity: "error" | "warning";
  /** Stable and short, for scripts and suppression: `unknown-field`, `bad-yaml`, … */
  readonly code: string;
  /** `Kind namespace/name` when the object could be told, else "". */
  readonly object: string;
  /** The field, as in `spec.http[0].route`; "" for the whole document. */
  readonly path: string;
  readonly message: string;
  readonly place: Place | undefined;
  readonly hint?: string;
}
