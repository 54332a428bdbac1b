import { MeshError } from "../../lib/errors.ts";
import { isMapping } from "../../lib/is-mapping.ts";
import type { PlanRequest } from "../api/model/plan.ts";

const maxBytes = 200 * 1024;
const maxDeleted = 500;

/** Checks the body of a request for a plan. Throws `bad-option` with the name of the field. */
export function readPlanRequest(body: unknown): Required<PlanRequest> {
  if (!isMapping(body)) throw new MeshError("bad-option", "expected an object with objects and deleted");
  const { objects = "", deleted = [], manyProxies = 50, maxRequests = 2_000, idOnly = false } = body;
  if (typeof objects !== "string") throw new MeshError("bad-option", "objects: expected a text");
  if (Buffer.byteLength(objects) > maxBytes) {
    throw new MeshError("bad-option", `objects: the text has more than ${maxBytes} bytes`);
  }
  const isList = Array.isArray(deleted) && deleted.length <= maxDeleted;
  if (!isList || !deleted.every((id) => typeof id === "string")) {
    throw new MeshError("bad-option", `deleted: expected at most ${maxDeleted} texts`);
  }
  if (typeof idOnly !== "boolean") throw new MeshError("bad-option", "idOnly: expected true or false");
  const ids = deleted.filter((id) => typeof id === "string");
  return {
    objects,
    deleted: ids,
    idOnly,
    manyProxies: numberAt("manyProxies", manyProxies, 100),
    maxRequests: numberAt("maxRequests", maxRequests, 20_000),
  };
}

function numberAt(name: string, value: unknown, most: number): number {
  if (typeof value === "number" && value >= 0 && value <= most) return value;
  throw new MeshError("bad-option", `${name}: expected a number from 0 to ${most}`);
}
