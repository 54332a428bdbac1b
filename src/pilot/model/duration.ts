/** A span of time in protobuf's own shape, so that both vocabularies can take it as it is. */
export interface Duration {
  readonly seconds: bigint;
  readonly nanos: number;
}

/** No time at all: as a limit, mostly none. */
export const zeroDuration: Duration = { seconds: 0n, nanos: 0 };

export function durationOfMs(ms: number): Duration {
  return { seconds: BigInt(Math.floor(ms / 1000)), nanos: Math.round((ms % 1000) * 1_000_000) };
}

/** A duration of a message as a plain value. */
export function durationOf(message: Duration | undefined): Duration | undefined {
  return message === undefined ? undefined : { seconds: message.seconds, nanos: message.nanos };
}
