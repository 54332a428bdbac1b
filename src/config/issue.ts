import type { Place } from "./config.ts";
import type { Finding, Remark } from "./finding.ts";

/** Something to tell the author of a configuration. Errors keep an object (or document) from being applied. */
export interface Issue extends Finding {
  /** `Kind namespace/name` when the object could be told, else "". */
  readonly object: string;
  readonly place: Place | undefined;
}

/** A warning about an object as a whole, or with "" about none: no file holds what it speaks of. */
export function warningAbout(object: string, remark: Remark): Issue {
  return { severity: "warning", object, path: "", place: undefined, ...remark };
}
