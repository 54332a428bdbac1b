const ofTime =
  "getDate getDayOfMonth getDayOfWeek getDayOfYear getFullYear getHours getMilliseconds getMinutes getMonth getSeconds";

/** The functions of Envoy's CEL, with the number of their arguments. Macros like `exists` and `string()` are off. */
export const expressionFunctions: ReadonlyMap<string, number> = new Map([
  ...["bool", "bytes", "double", "duration", "dyn", "int", "size", "timestamp", "type", "uint"].map(
    (name) => [name, 1] as const,
  ),
  ...["contains", "endsWith", "matches", "startsWith"].map((name) => [name, 2] as const),
]);

/** The methods, with the numbers of arguments that they take. Those of times may name a time zone. */
export const expressionMethods: ReadonlyMap<string, readonly number[]> = new Map<string, readonly number[]>([
  ["size", [0]],
  ...["contains", "endsWith", "matches", "startsWith"].map((name) => [name, [1]] as const),
  ...ofTime.split(" ").map((name) => [name, [0, 1]] as const),
]);
