import { Deframer, frameHead } from "../../../src/transport/grpc-framing.ts";
import { promise } from "../oracle.ts";
import type { FuzzTarget } from "../target.ts";

/** The bytes of an HTTP/2 stream. Differential: messages do not depend on how the bytes were cut into chunks. */
export const target: FuzzTarget = {
  name: "grpc-frames",
  mode: "sync",
  seeds: () => [
    Buffer.concat([frameHead(Buffer.from("hello"), []), frameHead(Buffer.alloc(0), [])]),
    Buffer.concat([frameHead(Buffer.alloc(300, 7), []), Buffer.of(0, 0)]),
    Buffer.of(1, 0, 0, 0, 0),
  ],
  planted: {
    file: "src/transport/grpc-framing.ts",
    before: "      this.#onMessage(bytes.subarray(start + headerBytes, end));",
    text: 'bytes.toString("latin1", start + headerBytes, end)',
  },
  check: (input) => {
    const whole = messagesOf([input]);
    const bytes = messagesOf(Array.from(input, (byte) => Buffer.of(byte)));
    promise(whole === bytes, "messages do not depend on chunks");
  },
};

function messagesOf(chunks: readonly Buffer[]): string {
  const messages: string[] = [];
  const deframer = new Deframer(1000, (bytes) => messages.push(Buffer.from(bytes).toString("hex")));
  for (const chunk of chunks) {
    const fault = deframer.push(chunk);
    if (fault !== undefined) return [...messages, fault.message].join();
    promise(deframer.heldBytes <= 4096, "an incomplete message takes bounded memory");
  }
  return [...messages, deframer.midMessage ? "incomplete" : ""].join();
}
