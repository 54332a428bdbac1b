/**
 * Fields that the packaged Envoy protos lack although current Envoys and istiod use them.
 * `after` is a line of the packaged file behind which `line` is put; generation fails when it no longer fits.
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
