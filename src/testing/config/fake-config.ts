import type { Config } from "../../config/config.ts";

interface FakeConfig {
  readonly name: string;
  readonly version?: string;
  readonly namespace?: string;
  readonly file?: string;
  readonly line?: number;
}

/** A ServiceEntry for tests that look at names, versions and places, not at contents. */
export function fakeConfig({ name, version = "1", namespace = "shop", file = "a.yaml", line = 1 }: FakeConfig): Config {
  return {
    kind: "ServiceEntry",
    apiVersion: "networking.istio.io/v1",
    namespace,
    name,
    labels: {},
    annotations: {},
    createdAt: 0,
    version,
    origin: { source: "fake", reference: `${file}:${line}`, locate: () => ({ file, line, column: 1 }) },
    spec: {},
  };
}

/** An object of a user, with a version that follows from its content. */
export function configOf<S>(kind: string, name: string, spec: S, changes: Partial<Config<S>> = {}): Config<S> {
  return {
    kind,
    apiVersion: "networking.istio.io/v1",
    namespace: "shop",
    name,
    labels: {},
    annotations: {},
    createdAt: 0,
    version: JSON.stringify(spec),
    origin: { source: "test", reference: "test.yaml:1", locate: () => undefined },
    spec,
    ...changes,
  };
}
