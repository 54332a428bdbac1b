import type { Dial } from "../support/pod/client.ts";
import { addresses, hostOf } from "./mesh.ts";

/** One call with its origin and destination, and the name of the server that answers, or how the call ends. */
export interface InterceptedRow {
  readonly name: string;
  readonly from: "workload" | "outside";
  readonly dial: Dial;
  readonly arrives: string;
}

const [workload, outside] = ["10.77.0.2", "10.77.0.3"] as const;

function http(address: string, port: number, host: string, more: Partial<Dial> = {}): Dial {
  return { address, port, protocol: "http", host, ...more };
}

function row(name: string, from: "workload" | "outside", dial: Dial, arrives: string): InterceptedRow {
  return { name, from, dial, arrives };
}

const { reviews, raw, secure, guessed, ratings } = addresses;
const asJason = { headers: { "x-user": "jason" } };

export const openRows: readonly InterceptedRow[] = [
  row("a service by its address and name", "workload", http(reviews, 80, hostOf("reviews")), "v1"),
  row("a service by its short name", "workload", http(reviews, 80, "reviews"), "v1"),
  row("a service by its name with a port", "workload", http(reviews, 80, `${hostOf("reviews")}:80`), "v1"),
  row("a service by its address alone", "workload", http(reviews, 80, reviews), "v1"),
  row("a header decides", "workload", http(reviews, 80, hostOf("reviews"), asJason), "v2"),
  row("the proxy answers", "workload", http(reviews, 80, hostOf("reviews"), { path: "/closed" }), "status 403"),
  row("two services on one port: by the name, not the address", "workload", http(reviews, 80, "ratings"), "v2"),
  row("two services on one port: the other", "workload", http(ratings, 80, hostOf("ratings")), "v2"),
  row(
    "plain TCP by the address of its service",
    "workload",
    { address: raw, port: 5000, protocol: "tcp", host: "raw" },
    "raw",
  ),
  row(
    "TLS by its server name",
    "workload",
    { address: secure, port: 443, protocol: "tls", host: hostOf("secure") },
    "secure",
  ),
  row(
    "TLS by another server name",
    "workload",
    { address: secure, port: 443, protocol: "tls", host: "second.example.com" },
    "other",
  ),
  row("a guessed protocol: HTTP", "workload", http(guessed, 7000, "guessed"), "v1"),
  row("a pod by its own address", "workload", http(outside, 8101, outside), "v1"),
  row("an unknown host on an unknown port", "workload", http(outside, 8103, "elsewhere.example.com"), "stranger"),
  row(
    "an unknown address, plain TCP",
    "workload",
    { address: outside, port: 9101, protocol: "tcp", host: outside },
    "raw",
  ),
  row("an unknown host on a port of services", "workload", http(outside, 80, "elsewhere.example.com"), "status 503"),
  row("its own service by the address", "workload", http(addresses.local, 80, hostOf("local")), "local"),
  row("into the workload, to a port of its service", "outside", http(workload, 18_101, hostOf("local")), "local"),
  row("into the workload, whatever the host is called", "outside", http(workload, 18_101, "anything"), "local"),
  row("into the workload, to a port without a service", "outside", http(workload, 18_102, "anything"), "unannounced"),
  row("into the workload, to a port where nobody listens", "outside", http(workload, 18_103, "anything"), "status 503"),
];

export const closedRows: readonly InterceptedRow[] = [
  row("an imported service", "workload", http(reviews, 80, hostOf("reviews")), "v1"),
  row(
    "a service that is not imported, on a port of one that is",
    "workload",
    http(ratings, 80, "ratings"),
    "status 502",
  ),
  row(
    "a service that is not imported, plain TCP",
    "workload",
    { address: raw, port: 5000, protocol: "tcp", host: "raw" },
    "refused",
  ),
  row("an unknown host", "workload", http(outside, 8103, "elsewhere.example.com"), "refused"),
  row("into the workload", "outside", http(workload, 18_101, hostOf("local")), "local"),
];
