/** The used fields of a `google.protobuf.Timestamp`. */
export interface WireTime {
  readonly seconds: bigint;
  readonly nanos: number;
}

/** The year 1, which is Go's zero time. The real Galley sends it for objects of unknown age. */
const unknownAge: WireTime = { seconds: -62_135_596_800n, nanos: 0 };
const lastSecond = 253_402_300_799n;

export function wireTime(createdAt: number): WireTime {
  if (createdAt === 0) return unknownAge;
  const seconds = Math.floor(createdAt / 1000);
  return { seconds: BigInt(seconds), nanos: (createdAt - seconds * 1000) * 1_000_000 };
}

/** Milliseconds since the epoch. 0 for an unknown age, undefined for an invalid time. */
export function readWireTime(time: WireTime | undefined): number | undefined {
  if (time === undefined) return 0;
  const { seconds, nanos } = time;
  if (seconds === unknownAge.seconds && nanos === 0) return 0;
  if (seconds < unknownAge.seconds || seconds > lastSecond || nanos < 0 || nanos >= 1_000_000_000) return undefined;
  return Number(seconds) * 1000 + Math.floor(nanos / 1_000_000);
}
