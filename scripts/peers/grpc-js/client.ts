import { createInterface } from "node:readline";
import { Client, credentials, Metadata } from "@grpc/grpc-js";
import type { GrpcAnswer, GrpcCommand, GrpcReport } from "../protocol.ts";
import { healthService } from "./health.ts";

/** Makes the calls it is told to, over one channel, until its input ends. */
export async function runClient(target: string): Promise<void> {
  const channel = new Client(target, credentials.createInsecure());
  for await (const line of createInterface({ input: process.stdin })) {
    const command = JSON.parse(line) as GrpcCommand;
    const answers: GrpcAnswer[] = [];
    while (answers.length < command.calls) answers.push(await call(channel, command));
    const report: GrpcReport = { id: command.id, answers };
    process.stdout.write(`${JSON.stringify(report)}\n`);
  }
  channel.close();
}

function call(channel: Client, { headers, deadlineMs }: GrpcCommand): Promise<GrpcAnswer> {
  const { path, requestSerialize, responseDeserialize } = healthService.check;
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
  const options = { deadline: Date.now() + deadlineMs };
  return new Promise((resolve) => {
    let echo = "";
    const empty = Buffer.alloc(0);
    channel
      .makeUnaryRequest(path, requestSerialize, responseDeserialize, empty, metadata, options, (error) =>
        resolve({ code: error?.code ?? 0, echo, message: error?.details ?? "" }),
      )
      .on("metadata", (header: Metadata) => {
        echo = header.get("x-echo").join();
      });
  });
}
