import type { Plan } from "../../../plan/plan.ts";
import type { WhatIfIssue } from "./explain.ts";

/** The body of `POST /api/v1/plan`. It changes nothing: POST, because the objects may be long. */
export interface PlanRequest {
  /** The objects that the change writes, as YAML: at most 500 objects and 200 KiB. */
  readonly objects: string;
  /** The objects that it deletes, each as `KIND/NAMESPACE/NAME`. */
  readonly deleted?: readonly string[];
  /** A change that touches a larger share of the proxies is a risk; in percent. Default: 50. */
  readonly manyProxies?: number;
  /** The most requests to derive from routes and to explain. Default: 2000. */
  readonly maxRequests?: number;
  /** Asks for the id of the plan alone: whether it is still the plan that somebody looked at. */
  readonly idOnly?: boolean;
}

export interface PlanAnswer {
  /** Of the objects. */
  readonly issues: readonly WhatIfIssue[];
  /** Names the change and the objects that are in force now. Absent if an issue is an error. */
  readonly id?: string;
  /** As `binnacle plan -o json` prints it. Absent if an issue is an error, or with `idOnly`. */
  readonly plan?: Plan;
}
