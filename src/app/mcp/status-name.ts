import { grpcStatusCodes } from "../../config/grammar/grpc-status-codes.ts";

const names = new Map(Array.from(grpcStatusCodes, ([name, code]) => [code, inGo(name)]));

/** A gRPC status as Go spells it, which is how Istio labels it: `InvalidArgument`. */
export function statusName(code: number): string {
  return names.get(code) ?? `Code(${code})`;
}

function inGo(name: string): string {
  if (name === "OK") return name;
  if (name === "CANCELLED") return "Canceled";
  return name.toLowerCase().replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
