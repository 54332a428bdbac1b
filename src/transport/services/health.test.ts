import { once } from "node:events";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import {
  HealthCheckRequestSchema,
  HealthCheckResponseSchema,
  HealthCheckResponse_ServingStatus as Status,
} from "#gen/grpc/health/v1/health_pb.js";
import { GrpcStatus } from "../../lib/grpc/grpc-stream.ts";
import { bytesAsIs, startServer } from "../../testing/stream/grpc-js-rig.ts";
import { HealthService } from "./health.ts";

const request = (service: string) =>
  Buffer.from(toBinary(HealthCheckRequestSchema, create(HealthCheckRequestSchema, { service })));
const statusIn = (bytes: Uint8Array) => fromBinary(HealthCheckResponseSchema, bytes).status;

test("Check returns the state of the server and of its services, and NOT_FOUND for others", async () => {
  const health = new HealthService(["some.Service"]);
  const { client } = await startServer(health.tables);
  const check = (service: string) =>
    new Promise<Status>((resolve, reject) => {
      client.makeUnaryRequest("/grpc.health.v1.Health/Check", bytesAsIs, bytesAsIs, request(service), (error, bytes) =>
        error === null && bytes !== undefined ? resolve(statusIn(bytes)) : reject(error),
      );
    });
  expect(await check("")).toBe(Status.NOT_SERVING);
  health.setServing(true);
  expect([await check(""), await check("some.Service")]).toEqual([Status.SERVING, Status.SERVING]);
  await expect(check("some.Other")).rejects.toMatchObject({ code: GrpcStatus.NOT_FOUND });
});

test("Watch sends the state, and every change of it", async () => {
  const health = new HealthService([]);
  const { client } = await startServer(health.tables);
  const watch = (service: string) =>
    client
      .makeServerStreamRequest("/grpc.health.v1.Health/Watch", bytesAsIs, bytesAsIs, request(service))
      .on("error", () => undefined);
  const [whole, unknown] = [watch(""), watch("nobody")];
  const next = async (stream: typeof whole) => statusIn((await once(stream, "data"))[0] as Buffer);
  expect(await Promise.all([next(whole), next(unknown)])).toEqual([Status.NOT_SERVING, Status.SERVICE_UNKNOWN]);
  health.setServing(true);
  expect(await next(whole)).toBe(Status.SERVING);
});
