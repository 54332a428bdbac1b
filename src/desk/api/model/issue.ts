import type { ObjectLink } from "./object-link.ts";

export type Severity = "error" | "warning" | "info";

/** An issue of validation, or a message of the analysis, as lists show it. */
export interface WorstIssue {
  readonly severity: Severity;
  readonly code: string;
  readonly text: string;
  /** `file:line`; absent if unknown. */
  readonly reference?: string;
  /** Absent if the object is unknown. */
  readonly object?: ObjectLink;
}
