import { afterEach, describe, expect, test } from "vitest";
import { type CloseReason, GrpcStatus, type GrpcStream, type GrpcStreamHandler } from "../../lib/grpc/grpc-stream.ts";
import { turns, until } from "../until.ts";
import type { TestClientStream } from "./stream-pair.ts";

/** One open stream: both ends, and a function that releases them. */
export interface StreamRig {
  readonly server: GrpcStream;
  readonly client: TestClientStream;
  dispose(): Promise<void>;
}

/** The contract of every `GrpcStream`. Run it against each implementation. */
export function describeStream(name: string, makeRig: () => Promise<StreamRig>): void {
  describe(`${name} as a gRPC stream`, () => {
    const rigs: StreamRig[] = [];
    afterEach(() => Promise.all(rigs.splice(0).map((rig) => rig.dispose())));

    const open = async (onMessage: (server: GrpcStream) => void = () => undefined) => {
      const rig = await makeRig();
      rigs.push(rig);
      const heard = new RecordingHandler(() => onMessage(rig.server));
      rig.server.attach(heard);
      return { ...rig, heard };
    };

    test("messages arrive whole and in order, in both directions", async () => {
      const { server, client, heard } = await open();
      client.send(text("one"));
      client.send(new Uint8Array());
      client.send(text("two"));
      await until(() => heard.messages.length === 3);
      expect(heard.messages).toEqual(["one", "", "two"]);

      server.send(text("pre"), [text("-a"), new Uint8Array(), text("-b")]);
      server.send(new Uint8Array(), []);
      server.send(text("alone"), []);
      server.send(new Uint8Array(), [text("segment")]);
      await until(() => client.received.length === 4);
      expect(client.received.map(textOf)).toEqual(["pre-a-b", "", "alone", "segment"]);
    });

    test("onFlushed comes after a send, and never during it", async () => {
      const { server, heard } = await open();
      server.send(text("small"), []);
      expect(heard.flushes).toBe(0);
      await until(() => heard.flushes === 1);
      expect(server.queued).toBe(0);
    });

    test("a second send while the first is on its way is followed by onFlushed", async () => {
      const { server, client, heard } = await open();
      server.send(text("small"), []);
      server.send(text("large"), [new Uint8Array(300_000)]);
      await until(() => heard.flushes > 0 && client.received.length === 2);
      expect(server.queued).toBe(0);
    });

    test("a client that does not read lets the queue grow, and wakes the server when it reads again", async () => {
      const { server, client, heard } = await open();
      client.stall();
      for (let i = 0; i < 4; i++) server.send(text("x"), [new Uint8Array(500_000)]);
      expect(server.queued).toBeGreaterThan(64 * 1024);
      await turns(20);
      expect(heard.flushes).toBe(0);
      expect(server.queued).toBeGreaterThan(64 * 1024);
      client.resume();
      await until(() => heard.flushes === 1 && client.received.length === 4);
      expect(server.queued).toBe(0);
    });

    test("end reaches the handler at once, and the client after the earlier messages", async () => {
      const { server, client, heard } = await open();
      server.send(text("last"), []);
      server.end(GrpcStatus.FAILED_PRECONDITION, "no, 100 % sûr");
      expect(heard.closes).toEqual([{ type: "server" }]);
      expect(server.closed).toBe(true);
      await until(() => client.status !== undefined);
      expect(client.status).toEqual({ code: GrpcStatus.FAILED_PRECONDITION, message: "no, 100 % sûr" });
      expect(client.received.map(textOf)).toEqual(["last"]);
    });

    test("end without any message still carries its status", async () => {
      const { server, client } = await open();
      server.end(GrpcStatus.PERMISSION_DENIED, "not you");
      await until(() => client.status !== undefined);
      expect(client.status).toEqual({ code: GrpcStatus.PERMISSION_DENIED, message: "not you" });
    });

    test("drops messages and ends after the end", async () => {
      const { server, client, heard } = await open();
      server.end(GrpcStatus.OK);
      server.send(text("late"), []);
      server.end(GrpcStatus.INTERNAL);
      client.send(text("late"));
      await until(() => client.status !== undefined);
      await turns(5);
      expect(client.status).toEqual({ code: GrpcStatus.OK, message: "" });
      expect(client.received).toEqual([]);
      expect(heard.messages).toEqual([]);
      expect(heard.closes).toHaveLength(1);
    });

    test("a handler may end the stream during a message, and receives no further one", async () => {
      const { client, heard } = await open((server) => server.end(GrpcStatus.OK));
      client.send(text("one"));
      client.send(text("two"));
      await until(() => client.status !== undefined);
      expect(heard.messages).toEqual(["one"]);
      expect(heard.closes).toEqual([{ type: "server" }]);
    });

    test("answers a half-closing client with OK", async () => {
      const { client, heard } = await open();
      client.send(text("one"));
      client.close();
      await until(() => client.status !== undefined);
      expect(client.status).toEqual({ code: GrpcStatus.OK, message: "" });
      expect(heard.messages).toEqual(["one"]);
      expect(heard.closes).toEqual([{ type: "client" }]);
    });

    test("a cancelling client closes the stream once", async () => {
      const { server, client, heard } = await open();
      client.cancel();
      await until(() => heard.closes.length > 0);
      expect(heard.closes).toEqual([{ type: "client" }]);
      expect(server.closed).toBe(true);
      server.send(text("late"), []);
      server.end(GrpcStatus.OK);
      expect(heard.closes).toHaveLength(1);
    });

    test("a lost connection closes the stream as broken, with messages still queued", async () => {
      const { server, client, heard } = await open();
      client.stall();
      server.send(text("x"), [new Uint8Array(500_000)]);
      client.disconnect();
      await until(() => heard.closes.length > 0);
      expect(heard.closes.map((reason) => reason.type)).toEqual(["broken"]);
      await turns(5);
      expect(heard.flushes).toBe(0);
    });
  });
}

/** Records the events it receives, as text and plain values. */
class RecordingHandler implements GrpcStreamHandler {
  readonly messages: string[] = [];
  readonly closes: CloseReason[] = [];
  flushes = 0;
  readonly #react: () => void;

  constructor(react: () => void) {
    this.#react = react;
  }

  onMessage(bytes: Uint8Array): void {
    this.messages.push(textOf(bytes));
    this.#react();
  }

  onFlushed(): void {
    this.flushes += 1;
  }

  onClose(reason: CloseReason): void {
    this.closes.push(reason);
  }
}

function text(value: string): Uint8Array {
  return new TextEncoder().encode(value);
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
