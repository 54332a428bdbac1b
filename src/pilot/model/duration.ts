/** A span of time in the shape of protobuf, so that the messages of Istio and Envoy can use it unchanged. */
export interface Duration {
  readonly seconds: bigint;
  readonly nanos: number;
}

/** Zero. As a limit it mostly disables the limit. */
export const zeroDuration: Duration = { seconds: 0n, nanos: 0 };

export function durationOfMs(ms: number): Duration {
  return { seconds: BigInt(Math.floor(ms / 1000)), nanos: Math.round((ms % 1000) * 1_000_000) };
}

/** Converts a protobuf duration to a plain value. */
export function durationOf(message: Duration | undefined): Duration | undefined {
  return message === undefined ? undefined : { seconds: message.seconds, nanos: message.nanos };
}
