import { readFileSync } from "node:fs";
import { type ChannelCredentials, credentials, Metadata } from "@grpc/grpc-js";
import { clusterType } from "../../../../src/xds/type-urls.ts";
import type { BinnacleProcess } from "../binnacle/server.ts";
import type { EnvoyNode } from "../envoy/bootstrap.ts";
import { get } from "../http.ts";
import { DeltaClient, SotwClient } from "../xds/ads-client.ts";
import type { IssuedFiles } from "./certificates.ts";

/** Flags of a server that serves xDS over TLS, and believes the certificates of the same authority. */
export function tlsFlags({ certificateChain, privateKey, rootCertificates }: IssuedFiles): readonly string[] {
  const files = ["--tls-cert", certificateChain, "--tls-key", privateKey, "--tls-ca", rootCertificates];
  return ["--xds-tls", "127.0.0.1:0", ...files];
}

/** Where it does. */
export async function tlsPort({ httpPort }: BinnacleProcess): Promise<number> {
  const addresses = JSON.parse((await get(httpPort, "/debug/addresses")).body) as { "xds-tls": string };
  return Number(addresses["xds-tls"].split(":")[1]);
}

export function withCertificate({ rootCertificates, privateKey, certificateChain }: IssuedFiles): ChannelCredentials {
  return credentials.createSsl(
    ...([rootCertificates, privateKey, certificateChain].map((file) => readFileSync(file)) as [Buffer, Buffer, Buffer]),
  );
}

/** TLS of one side only, and a token with each call. */
export function withToken({ rootCertificates }: IssuedFiles, token: string): ChannelCredentials {
  const call = credentials.createFromMetadataGenerator((_, tell) => {
    const metadata = new Metadata();
    metadata.set("authorization", `Bearer ${token}`);
    tell(null, metadata);
  });
  return credentials.combineChannelCredentials(credentials.createSsl(readFileSync(rootCertificates)), call);
}

/** How many clusters a client is sent, or how it is turned away. */
export async function outcome(mode: "sotw" | "delta", port: number, node: EnvoyNode, shown?: ChannelCredentials) {
  using client = mode === "sotw" ? new SotwClient(port, node, shown) : new DeltaClient(port, node, shown);
  client.subscribe(clusterType);
  const served = client.next(clusterType).then(({ resources }) => resources.length > 0);
  served.catch(() => undefined);
  const refused = client.stream.ended.then(({ code, details }) => ({ code, details }));
  return await Promise.race([served, refused]);
}
