import { Metadata, ServerCredentials, type ServerUnaryCall, type sendUnaryData } from "@grpc/grpc-js";
import { XdsServer } from "@grpc/grpc-js-xds";
import { healthService, serving } from "./health.ts";

/** Answers Health/Check once the control plane gave it a listener for its address. */
export async function runServer(port: string, name: string): Promise<void> {
  const header = new Metadata();
  header.set("x-echo", name);
  const server = new XdsServer();
  server.addService(healthService, {
    check(call: ServerUnaryCall<Buffer, Buffer>, respond: sendUnaryData<Buffer>) {
      call.sendMetadata(header);
      respond(null, serving);
    },
  });
  await new Promise<void>((resolve, reject) => {
    const bound = (error: Error | null) => (error === null ? resolve() : reject(error));
    server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), bound);
  });
}
