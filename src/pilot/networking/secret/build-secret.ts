import { SecretSchema } from "#gen/envoy/extensions/transport_sockets/tls/v3/secret_pb.js";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { Credential } from "../../model/credential/credential.ts";
import type { Resource } from "../../model/resource.ts";
import { makeResource } from "../make-resource.ts";

/** A certificate with its private key; undefined if the object has none. */
export function buildCertificate(name: string, credential: Credential, writer: ProtoWriter): Resource | undefined {
  const { certificate, owner } = credential;
  if (certificate === undefined) return undefined;
  const { chain, key, staple } = certificate.reveal();
  const tlsCertificate = {
    certificateChain: inlined(chain),
    privateKey: inlined(key),
    ocspStaple: staple && inlined(staple),
  };
  const any = writer.any(SecretSchema, { name, type: { case: "tlsCertificate", value: tlsCertificate } });
  return makeResource({ name, any, owners: [owner] });
}

/** CA certificates, with the certificates that they revoked; undefined if the object has none. */
export function buildAuthorities(name: string, credential: Credential, writer: ProtoWriter): Resource | undefined {
  const { authorities, owner } = credential;
  if (authorities === undefined) return undefined;
  const { certificates, revocations } = authorities;
  const validationContext = { trustedCa: inlined(certificates), crl: revocations && inlined(revocations) };
  const any = writer.any(SecretSchema, { name, type: { case: "validationContext", value: validationContext } });
  return makeResource({ name, any, owners: [owner] });
}

function inlined(value: Uint8Array) {
  return { specifier: { case: "inlineBytes", value } } as const;
}
