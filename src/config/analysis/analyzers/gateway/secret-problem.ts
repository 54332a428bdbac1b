import { X509Certificate } from "node:crypto";
import type { Secret } from "#gen/k8s/core/v1/data_pb.js";
import { ownValue } from "../../../../lib/own-value.ts";
import type { PlacedCredential } from "./credentials.ts";

/** Kubernetes' names of the parts, and the older names that Istio also reads. */
const pairs = [
  ["tls.crt", "tls.key"],
  ["cert", "key"],
] as const;
const authorities = ["ca.crt", "cacert"];

/**
 * The reason why a secret cannot serve as a credential; undefined if it can. The text never contains data of the
 * secret.
 */
export function secretProblem(secret: Secret, holds: PlacedCredential["holds"], now: number): string | undefined {
  if (holds === "authority") {
    const [authority] = authorities.flatMap((name) => partOf(secret, name) ?? []);
    return authority === undefined ? `it has no ${authorities.join(" or ")}` : certificateProblem(authority, now);
  }
  const [found] = pairs.flatMap(([certificate, key]) => {
    const parts = { certificate: partOf(secret, certificate), key: partOf(secret, key) };
    return parts.certificate === undefined || parts.key === undefined ? [] : [parts];
  });
  if (found === undefined) return `it has neither ${pairs.map((names) => names.join(" and ")).join(" nor ")}`;
  return certificateProblem(found.certificate ?? "", now) ?? keyProblem(found.key ?? "");
}

function partOf({ data, stringData }: Secret, name: string): string | undefined {
  const bytes = ownValue(data, name);
  return ownValue(stringData, name) ?? (bytes && new TextDecoder().decode(bytes));
}

function certificateProblem(pem: string, now: number): string | undefined {
  const certificate = readCertificate(pem);
  if (certificate === undefined) return "its certificate cannot be read";
  if (certificate.validToDate.getTime() < now) return `its certificate expired on ${dayOf(certificate.validToDate)}`;
  return certificate.validFromDate.getTime() > now
    ? `its certificate is not valid before ${dayOf(certificate.validFromDate)}`
    : undefined;
}

function readCertificate(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

function keyProblem(pem: string): string | undefined {
  return /-----BEGIN [A-Z0-9 ]+-----/u.test(pem) ? undefined : "its key is not PEM";
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}
