import { isMapping } from "../../lib/is-mapping.ts";

/** A condition in `status.conditions` of an object, in the form of Kubernetes. */
export interface StatusCondition {
  readonly type: string;
  readonly status: "True" | "False";
  /** One word for programs. */
  readonly reason: string;
  /** A sentence for people. */
  readonly message: string;
  /** Since when the status has been so. */
  readonly lastTransitionTime: string;
}

/** The type of our only condition. Other conditions belong to other controllers. */
export const quarantinedType = "Quarantined";

export function isOurCondition(condition: unknown): boolean {
  return isMapping(condition) && condition["type"] === quarantinedType;
}

/** Whether the stored condition is the written one, as far as the API server kept it. */
export function isStoredCondition(stored: unknown, written: StatusCondition | undefined): boolean {
  if (written === undefined || !isMapping(stored)) return written === undefined && stored === undefined;
  const fields = new Map<string, unknown>(Object.entries(written));
  return Object.entries(stored).every(([name, value]) => fields.has(name) && fields.get(name) === value);
}
