import fc from "fast-check";
import type { FilterChainMatchSchema } from "#gen/envoy/config/listener/v3/listener_components_pb.js";
import { deepEqual } from "../../lib/equal.ts";
import type { Literal } from "../envoy/toy-envoy-config.ts";

export type ChainMatchLiteral = Literal<typeof FilterChainMatchSchema>;

/**
 * The matches of the filter chains of one listener. As Envoy requires, no two of them share a value of every criterion.
 * Addresses are in 127/8, names end in `.c`, protocols are `h2` and `http/1.1`.
 */
export function matchesArbitrary(ports: readonly number[]): fc.Arbitrary<ChainMatchLiteral[]> {
  const match = fc.record(
    {
      destinationPort: fc.constantFrom(...ports),
      prefixRanges: some({ addressPrefix: "127.0.0.0", prefixLen: 8 }, { addressPrefix: "127.0.0.0", prefixLen: 16 }),
      serverNames: some("a.b.c", "*.b.c", "*.c"),
      transportProtocol: fc.constantFrom("tls", "raw_buffer"),
      applicationProtocols: some("h2", "http/1.1"),
    },
    { requiredKeys: [] },
  );
  return fc.uniqueArray(match, { minLength: 1, maxLength: 6, comparator: overlap });
}

function some<T>(...values: readonly T[]): fc.Arbitrary<T[]> {
  return fc.subarray([...values], { maxLength: 2 });
}

function overlap(a: ChainMatchLiteral, b: ChainMatchLiteral): boolean {
  return (
    a.destinationPort === b.destinationPort &&
    a.transportProtocol === b.transportProtocol &&
    meet(a.prefixRanges, b.prefixRanges) &&
    meet(a.serverNames, b.serverNames) &&
    meet(a.applicationProtocols, b.applicationProtocols)
  );
}

/** An empty list is a value too: it matches everything. */
function meet(left: readonly unknown[] = [], right: readonly unknown[] = []): boolean {
  if (left.length === 0 || right.length === 0) return left.length === right.length;
  return left.some((value) => right.some((other) => deepEqual(value, other)));
}
