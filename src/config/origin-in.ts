import type { Origin } from "./config.ts";

/** The origin of a value, if it is a user's object or a list that begins with one. */
export function originIn(value: unknown): Origin | undefined {
  const object: unknown = Array.isArray(value) ? value[0] : value;
  if (typeof object !== "object" || object === null || !("origin" in object)) return undefined;
  return isOrigin(object.origin) ? object.origin : undefined;
}

function isOrigin(value: unknown): value is Origin {
  return typeof value === "object" && value !== null && "reference" in value && "locate" in value;
}
