import type { Duration } from "@bufbuild/protobuf/wkt";

const nanosPerUnit: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

const nanosPerSecond = 1_000_000_000n;
/** Ten thousand years: the range of google.protobuf.Duration. */
const maxNanos = 315_576_000_000n * nanosPerSecond;

const wholeText = /^[-+]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|ms|s|m|h))+$/u;
const part = /(?<whole>\d*)(?:\.(?<fraction>\d*))?(?<unit>ns|us|µs|ms|s|m|h)/gu;

/**
 * Parses a duration in Istio's notation to nanoseconds: `1h30m`, `1.5s`, `100ms`, or `0`. It is Go's notation, which
 * includes the protobuf notation (`90s`). Undefined if the text is invalid or does not fit into a Duration.
 */
export function parseDuration(text: string): bigint | undefined {
  if (text === "0") return 0n;
  if (!wholeText.test(text)) return undefined;
  let nanos = 0n;
  for (const { groups = {} } of text.matchAll(part)) {
    const { whole = "", fraction = "", unit = "" } = groups;
    const scale = 10n ** BigInt(fraction.length);
    nanos += (BigInt(`0${whole}${fraction}`) * (nanosPerUnit[unit] ?? 0n)) / scale;
  }
  if (nanos > maxNanos) return undefined;
  return text.startsWith("-") ? -nanos : nanos;
}

/** The canonical protobuf JSON form: seconds with the necessary decimals. */
export function formatDuration(nanos: bigint): string {
  const size = nanos < 0n ? -nanos : nanos;
  const fraction = (size % nanosPerSecond).toString().padStart(9, "0").replace(/0+$/u, "");
  return `${nanos < 0n ? "-" : ""}${size / nanosPerSecond}${fraction === "" ? "" : `.${fraction}`}s`;
}

/** Milliseconds, with a fraction if there is one. */
export function durationToMs(duration: Duration): number {
  return Number(duration.seconds) * 1000 + duration.nanos / 1_000_000;
}
