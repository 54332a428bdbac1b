import type { MethodDefinition } from "@grpc/grpc-js";

const asIs = (bytes: Buffer) => bytes;

/** A Check without a service is an empty message: its bytes do without generated code. */
const check: MethodDefinition<Buffer, Buffer> = {
  path: "/grpc.health.v1.Health/Check",
  requestStream: false,
  responseStream: false,
  requestSerialize: asIs,
  requestDeserialize: asIs,
  responseSerialize: asIs,
  responseDeserialize: asIs,
};

/** `grpc.health.v1.Health`, as far as the tests need it. */
export const healthService = { check };

/** The answer that says SERVING. */
export const serving: Buffer = Buffer.from([0x08, 0x01]);
