import { create, toBinary } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { NodeSchema } from "#gen/envoy/config/core/v3/base_pb.js";
import { GrpcStatus, type GrpcStream } from "../../../lib/grpc/grpc-stream.ts";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { Overload } from "../../../lib/overload/overload.ts";
import type { Refusal } from "../../../xds/admission.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import { type ProxyLifecycleHooks, StreamAdmission, type StreamAdmissionOptions } from "./stream-admission.ts";

const node = toBinary(NodeSchema, create(NodeSchema, { id: "sidecar~10.0.0.1~cart-0.shop~shop.svc.cluster.local" }));
const unready: Refusal = {
  type: "refused",
  status: GrpcStatus.UNAVAILABLE,
  message: "not ready: sources are not synced yet",
};

function entrance(options: Partial<StreamAdmissionOptions> = {}): StreamAdmission {
  const usual = {
    streamsPerSecond: 1,
    identityCheck: true,
    plaintextSecrets: false,
    maxNodeBytes: 1_000,
    maxStreamsPerPeer: 1,
    gate: new Overload(),
  };
  return new StreamAdmission({ clock: new FakeClock(), ...usual, ...options });
}

/** A stream of which only the caller matters. */
function streamOf(address: string): GrpcStream {
  return { peer: { address }, closed: false, queued: 0, attach: () => {}, send: () => {}, end: () => {} };
}

/** Opens a stream, and returns the response to its node. */
async function answered(at: StreamAdmission, bytes: Uint8Array | undefined) {
  const admission = await at.admit(streamOf("127.0.0.1:1"), true);
  return admission.type === "refused" ? admission : admission.introduce(bytes);
}

/** Records arriving proxies, and accepts or rejects them. */
class Doorkeeper implements ProxyLifecycleHooks {
  readonly arrivals: string[] = [];
  refusal: Refusal | undefined;

  arrived(proxy: Proxy): Refusal | undefined {
    this.arrivals.push(proxy.id);
    return this.refusal;
  }
  left(): void {}
  handles(): boolean {
    return false;
  }
  answer(): void {}
}

test("a stream that is refused before the server is ready uses no budget", () => {
  const at = entrance();
  expect(at.admit(streamOf("127.0.0.1:1"), false)).toEqual(unready);
  expect(at.admit(streamOf("127.0.0.1:1"), true)).toMatchObject({ type: "admitted" });
  expect(at.admit(streamOf("127.0.0.1:1"), true)).toBeInstanceOf(Promise);
});

test("a peer that reached its stream limit is refused, and uses no budget", () => {
  const at = entrance();
  const handler = { onMessage: () => undefined, onFlushed: () => undefined, onClose: () => undefined };
  at.metered(streamOf("10.0.0.1:1")).attach(handler);
  expect(at.admit(streamOf("10.0.0.1:2"), true)).toMatchObject({ type: "refused" });
  expect(at.admit(streamOf("10.0.0.2:1"), true)).toMatchObject({ type: "admitted" });
});

test("a proxy is accepted when its lifecycleHooks accept it", async () => {
  const lifecycleHooks = new Doorkeeper();
  expect(await answered(entrance({ lifecycleHooks }), node)).toMatchObject({
    type: "client",
    client: { namespace: "shop" },
  });
  lifecycleHooks.refusal = { type: "refused", status: GrpcStatus.PERMISSION_DENIED, message: "not you" };
  expect(await answered(entrance({ lifecycleHooks }), node)).toEqual(lifecycleHooks.refusal);
  expect(lifecycleHooks.arrivals).toEqual(["cart-0.shop", "cart-0.shop"]);
});

test("a stream without a node is refused, and its lifecycleHooks are not called", async () => {
  const lifecycleHooks = new Doorkeeper();
  expect(await answered(entrance({ lifecycleHooks }), undefined)).toMatchObject({
    status: GrpcStatus.INVALID_ARGUMENT,
  });
  expect(lifecycleHooks.arrivals).toEqual([]);
});
