import { isDeepStrictEqual } from "node:util";

/** Equality by content. A value may contain functions: two functions with the same source count as equal. */
export function isSameValue(one: unknown, other: unknown): boolean {
  if (typeof one === "function" && typeof other === "function") return String(one) === String(other);
  if (!hasFunctions(one)) return isDeepStrictEqual(one, other);
  const names = Object.keys(one);
  return (
    hasFunctions(other) &&
    isDeepStrictEqual(names, Object.keys(other)) &&
    names.every((name) => isSameValue(one[name], other[name]))
  );
}

function hasFunctions(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === "object" && value !== null && Object.values(value).some((field) => typeof field === "function")
  );
}
