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

/** The types of our conditions. Other conditions belong to other controllers. */
export const quarantinedType = "Quarantined";
export const rolledOutType = "RolledOut";

export function isOurCondition(condition: unknown): boolean {
  return isMapping(condition) && (condition["type"] === quarantinedType || condition["type"] === rolledOutType);
}

/** Whether our stored conditions are the written ones, as far as the API server kept them. */
export function areStoredConditions(stored: readonly unknown[], written: readonly StatusCondition[]): boolean {
  return stored.length === written.length && written.every((each) => stored.some((one) => isStored(one, each)));
}

function isStored(stored: unknown, written: StatusCondition): boolean {
  if (!isMapping(stored) || stored["type"] !== written.type) return false;
  const fields = new Map<string, unknown>(Object.entries(written));
  return Object.entries(stored).every(([name, value]) => fields.has(name) && fields.get(name) === value);
}
