const named = new Set(["time", "level", "msg"]);

/** One JSON line of the log as a person reads it: `12:00:00.000 info  push  type=CDS resources=12`. */
export function logLineAsText(line: string): string {
  const record = JSON.parse(line) as Readonly<Record<string, unknown>>;
  const time = String(record["time"]).slice(11, 23);
  const facts = Object.entries(record).filter(([key]) => !named.has(key));
  const words = facts.map(([key, value]) => `${key}=${asWord(value)}`);
  return [time, String(record["level"]).padEnd(5), record["msg"], ...words].join(" ").concat("\n");
}

/** Plain text if it is unambiguous, else JSON. An error shows its stack, indented. */
function asWord(value: unknown): string {
  if (typeof value === "string") return /^[^\s"=]+$/u.test(value) ? value : JSON.stringify(value);
  if (typeof value === "object" && value !== null && "stack" in value) {
    return `\n  ${String(value.stack).replaceAll("\n", "\n  ")}`;
  }
  return JSON.stringify(value);
}
