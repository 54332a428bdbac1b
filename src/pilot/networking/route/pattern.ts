/** Envoy's matcher of a string. */
export function patternOf<Type extends "exact" | "prefix">(match: {
  readonly type: Type | "regex";
  readonly value: string;
}) {
  if (match.type === "regex") return { case: "safeRegex", value: { regex: match.value } } as const;
  return { case: match.type, value: match.value } as const;
}
