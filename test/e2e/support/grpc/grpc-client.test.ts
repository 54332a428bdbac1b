import { expect, test } from "vitest";
import { describeWith } from "../peers.ts";
import { startGrpcClient } from "./grpc-client.ts";
import { startGrpcEcho } from "./grpc-echo.ts";
import { grpcPeerNames } from "./grpc-peer.ts";

const describeWithGrpc = await describeWith(...grpcPeerNames);

describeWithGrpc("a gRPC client of the harness", () => {
  test.each(["js", "go", "python"] as const)(
    "reports the answering server, or the reason of failure, %s",
    async (kind) => {
      await using echo = await startGrpcEcho("reviews-v1", { failFirst: 2 });
      await using client = await startGrpcClient(kind, { target: `127.0.0.1:${echo.port}`, xdsPort: 1 });
      expect(await client.call(1)).toEqual([
        { code: "UNAVAILABLE", echo: "", message: expect.stringContaining("reviews-v1 is not ready") },
      ]);
      expect(await client.many(5)).toEqual(
        new Map([
          ["UNAVAILABLE", 1],
          ["reviews-v1", 4],
        ]),
      );
      expect(echo.requests()).toBe(6);
    },
  );

  test.each(["js", "go", "python"] as const)("gives up at its deadline, %s", async (kind) => {
    await using echo = await startGrpcEcho("slow", { delayMs: 60_000 });
    await using client = await startGrpcClient(kind, { target: `127.0.0.1:${echo.port}`, xdsPort: 1 });
    expect(await client.many(1, { deadlineMs: 200 })).toEqual(new Map([["DEADLINE_EXCEEDED", 1]]));
  });
});
