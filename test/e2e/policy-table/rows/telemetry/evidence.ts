import type { JsonObject } from "@bufbuild/protobuf";
import { expect } from "vitest";
import { eventually } from "../../../../../src/testing/eventually.ts";
import type { GrpcCollector } from "../../../support/collector/grpc-collector.ts";
import type { HttpCollector } from "../../../support/collector/http-collector.ts";
import { type Evidence, type MeshObject, object, type Row, row } from "../../row.ts";

/** Envoy sends access logs every second, and spans every five seconds at most. */
const soon = { seconds: 15 };

export function grpcCollector({ peer }: Evidence): GrpcCollector {
  return peer("grpc-collector") as GrpcCollector;
}

export function httpCollector({ peer }: Evidence): HttpCollector {
  return peer("collector") as HttpCollector;
}

/** Waits for the first item that fits. */
export function arrived<T>(what: string, items: () => readonly T[], fits: (item: T) => boolean): Promise<T> {
  return eventually(what, () => items().find(fits), soon);
}

export function telemetry(name: string, spec: JsonObject): MeshObject {
  return object("Telemetry", name, spec);
}

export function named(...names: readonly string[]): JsonObject {
  return { providers: names.map((name) => ({ name })) };
}

/** A request that is answered; the check looks at what the collectors got. */
export function seen(
  name: string,
  path: string,
  check: Row["check"],
  headers: Readonly<Record<string, string>> = {},
): Row {
  return row(name, { path, headers }, 200, [], check === undefined ? {} : { check });
}

export function equals(found: unknown, expected: unknown): void {
  expect(found).toEqual(expected);
}

export function matches(found: unknown, expected: object): void {
  expect(found).toMatchObject(expected);
}

export function lacks(found: string | readonly unknown[], absent: string): void {
  expect(found).not.toContain(absent);
}
