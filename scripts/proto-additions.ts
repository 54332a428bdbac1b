/**
 * Fields that the packaged Envoy protos lack although current Envoys and istiod use them. Generation inserts `line`
 * behind the line `after` of the packaged file. It fails when `after` is no longer there.
 */
export interface ProtoAddition {
  readonly file: string;
  readonly after: string;
  readonly line: string;
}

export const additions: readonly ProtoAddition[] = [
  {
    file: "validate/validate.proto",
    after: "optional bool strict = 25 [default = true];",
    line: "optional bool ignore_empty = 26;",
  },
  {
    file: "envoy/config/cluster/v3/cluster.proto",
    after: "LoadBalancingPolicy load_balancing_policy = 41;",
    line: "google.protobuf.Duration dns_jitter = 58;",
  },
];
