/** A span of time in protobuf's own shape, so that both vocabularies can take it as it is. */
export interface Duration {
  readonly seconds: bigint;
  readonly nanos: number;
}
