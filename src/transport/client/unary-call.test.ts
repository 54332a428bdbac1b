import { EventEmitter } from "node:events";
import type { ClientHttp2Stream } from "node:http2";
import { expect, test } from "vitest";
import { functionCalls } from "../../testing/counting/function-calls.ts";
import { UnaryCall } from "./unary-call.ts";

/** The part of a stream that a call uses. */
class QuietStream extends EventEmitter {
  end(): void {}

  close(): void {}
}

const options = { peerName: "the server", messageBytes: 1_000, messageFields: 10, callMs: 60_000 };
const compressed = Buffer.from([1, 0, 0, 0, 0]);

/** The number of calls of our functions for a compressed message that so many zeros follow. */
async function workAfterFault(zeros: number): Promise<number> {
  const stream = new QuietStream();
  const call = new UnaryCall(stream as unknown as ClientHttp2Stream, Buffer.alloc(0), options);
  const reason = call.answer.catch((error: Error) => error.message);
  const work = await functionCalls(
    (url) => url.includes("/src/"),
    () => {
      stream.emit("data", compressed);
      stream.emit("data", Buffer.alloc(zeros));
    },
  );
  stream.emit("close");
  expect(await reason).toBe("compressed messages are not supported");
  return work;
}

test("a call that failed does not look at further bytes, which may look like many empty messages", async () => {
  expect(await workAfterFault(50_000)).toBe(await workAfterFault(5));
});
