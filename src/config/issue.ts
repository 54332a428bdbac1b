import type { Place } from "./config.ts";
import type { Finding } from "./finding.ts";

/** Something to tell the author of a configuration. Errors keep an object (or document) from being applied. */
export interface Issue extends Finding {
  /** `Kind namespace/name` when the object could be told, else "". */
  readonly object: string;
  readonly place: Place | undefined;
}
