import { kindOf } from "../../src/config/kinds.ts";
import { KindContent } from "../../src/galley/source/kube/kind-content.ts";
import type { KubeClient } from "../../src/kube/kube-client.ts";
import { assert } from "../../src/lib/assert.ts";
import { readJson } from "../../src/lib/bounded/read-bounded.ts";
import { FakeClock } from "../../src/testing/fake-clock.ts";
import { SourceRecorder } from "../../src/testing/recording/source-recorder.ts";

const limits = { listObjects: 50, listPages: 5, listMs: 1000, eventBytes: 100_000 };
const bodyLimit = { what: "the answer", maxBytes: 100_000, maxValues: 10_000 };

/** A client whose server answers with these bodies, one after the other, and after them with the last again. */
export function clientOf(bodies: readonly Buffer[]): KubeClient {
  let next = 0;
  const body = () => bodies[Math.min(next++, bodies.length - 1)] ?? Buffer.alloc(0);
  const client = {
    limits,
    now: () => 0,
    json: () => readJson(chunksOf(body()), bodyLimit),
    open: () => chunksOf(body()),
  };
  // The client is a class with private parts. Lists and watches use these functions alone.
  return client as unknown as KubeClient;
}

/** In two chunks, so that lines may be cut. */
async function* chunksOf(bytes: Buffer): AsyncGenerator<Buffer> {
  const half = Math.floor(bytes.length / 2);
  yield bytes.subarray(0, half);
  yield bytes.subarray(half);
}

/** The events of a source about AuthorizationPolicies, whose invalid objects have substitutes. */
export function policies() {
  const kind = kindOf("security.istio.io/v1", "AuthorizationPolicy");
  assert(kind !== undefined, "policies are among the kinds");
  const heard = new SourceRecorder();
  const settings = { kind, source: "fuzz", isSelected: () => true, clock: new FakeClock(), maxObjects: 50 };
  return { heard, content: new KindContent({ ...settings, emit: heard.handler }) };
}
