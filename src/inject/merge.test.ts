import { expect, test } from "vitest";
import { mergeOver } from "./merge.ts";
import type { Fields } from "./pod.ts";

const rows: readonly (readonly [string, Fields, Fields, Fields])[] = [
  ["fields are added", { a: 1 }, { b: 2 }, { a: 1, b: 2 }],
  ["fields are replaced", { a: 1 }, { a: 2 }, { a: 2 }],
  ["null and undefined change nothing", { a: 1, b: 2 }, { a: null, b: undefined }, { a: 1, b: 2 }],
  ["mappings are merged", { a: { x: 1, y: 1 } }, { a: { y: 2 } }, { a: { x: 1, y: 2 } }],
  ["a text replaces a mapping", { a: { x: 1 } }, { a: "x" }, { a: "x" }],
  ["lists without a key are replaced", { args: ["a", "b"] }, { args: ["c"] }, { args: ["c"] }],
  [
    "containers are merged by name, and new ones come last",
    { containers: [{ name: "a", x: 1 }, { name: "b" }] },
    { containers: [{ name: "c" }, { name: "a", y: 2 }] },
    { containers: [{ name: "a", x: 1, y: 2 }, { name: "b" }, { name: "c" }] },
  ],
  [
    "init containers are merged by name",
    { initContainers: [{ name: "a", x: 1 }] },
    { initContainers: [{ name: "a", y: 2 }] },
    { initContainers: [{ name: "a", x: 1, y: 2 }] },
  ],
  [
    "ports are merged by number and protocol",
    { ports: [{ containerPort: 80, name: "a" }, { containerPort: 81 }] },
    {
      ports: [
        { containerPort: 80, protocol: "UDP" },
        { containerPort: 81, name: "b" },
      ],
    },
    {
      ports: [
        { containerPort: 80, name: "a" },
        { containerPort: 81, name: "b" },
        { containerPort: 80, protocol: "UDP" },
      ],
    },
  ],
  [
    "a port without a protocol is a TCP port",
    { ports: [{ containerPort: 80, name: "a" }] },
    { ports: [{ containerPort: 80, protocol: "TCP" }] },
    { ports: [{ containerPort: 80, name: "a", protocol: "TCP" }] },
  ],
  [
    "mounts are merged by path, not by name",
    { volumeMounts: [{ name: "v", mountPath: "/a" }] },
    {
      volumeMounts: [
        { name: "w", mountPath: "/a" },
        { name: "v", mountPath: "/b" },
      ],
    },
    {
      volumeMounts: [
        { name: "w", mountPath: "/a" },
        { name: "v", mountPath: "/b" },
      ],
    },
  ],
  [
    "devices are merged by path",
    {
      volumeDevices: [
        { name: "v", devicePath: "/a" },
        { name: "u", devicePath: "/b" },
      ],
    },
    { volumeDevices: [{ name: "w", devicePath: "/a" }] },
    {
      volumeDevices: [
        { name: "w", devicePath: "/a" },
        { name: "u", devicePath: "/b" },
      ],
    },
  ],
  [
    "volumes are merged by name",
    { volumes: [{ name: "a" }, { name: "b" }] },
    { volumes: [{ name: "b", emptyDir: {} }] },
    { volumes: [{ name: "a" }, { name: "b", emptyDir: {} }] },
  ],
  [
    "pull secrets are merged by name",
    { imagePullSecrets: [{ name: "a" }] },
    { imagePullSecrets: [{ name: "a" }, { name: "b" }] },
    { imagePullSecrets: [{ name: "a" }, { name: "b" }] },
  ],
  [
    "a variable has one source: a reference replaces a value",
    { env: [{ name: "A", value: "x" }] },
    { env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "f" } } }] },
    { env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "f" } } }] },
  ],
  [
    "a variable has one source: a value replaces a reference",
    { env: [{ name: "A", valueFrom: {} }] },
    { env: [{ name: "A", value: "x" }] },
    { env: [{ name: "A", value: "x" }] },
  ],
  ...["exec", "httpGet", "tcpSocket", "grpc", "sleep"].map((handler): (typeof rows)[number] => [
    `a probe has one handler: another one replaces ${handler}`,
    { readinessProbe: { [handler]: { old: 1 }, periodSeconds: 5 } },
    { readinessProbe: { [handler === "exec" ? "grpc" : "exec"]: { new: 1 } } },
    { readinessProbe: { [handler === "exec" ? "grpc" : "exec"]: { new: 1 }, periodSeconds: 5 } },
  ]),
  [
    "fields beside a handler do not replace it",
    { readinessProbe: { httpGet: { port: 1 } } },
    { readinessProbe: { periodSeconds: 5 } },
    { readinessProbe: { httpGet: { port: 1 }, periodSeconds: 5 } },
  ],
];

test.each(rows)("%s", (_what, base, over, expected) => {
  expect(mergeOver(base, over)).toEqual(expected);
});
